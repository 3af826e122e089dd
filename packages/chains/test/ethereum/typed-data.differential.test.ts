import { bytesToHex } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { TypedData } from 'ox';
import { expect, test } from 'vitest';
import { parseTypedData } from '../../src/ethereum/index.ts';
import { fixedHex, uint } from './arbitrary-transactions.ts';
import { arrayLength, arrayOf, elementary, type TypedArbitrary } from './arbitrary-values.ts';
import { contextWith } from './support.ts';

const domain = fc.record(
  {
    name: fc.string(),
    version: fc.string({ minLength: 1 }),
    chainId: uint(53),
    verifyingContract: fixedHex(20),
    salt: fixedHex(32),
  },
  { requiredKeys: ['name'] },
);

const maybeArray = (element: fc.Arbitrary<TypedArbitrary>): fc.Arbitrary<TypedArbitrary> =>
  fc.oneof(
    element,
    fc.tuple(element, arrayLength).map(([inner, length]) => arrayOf(inner, length)),
  );

/** A struct over elementary types and over structs defined before it, so that there is always a finite value. */
const struct = (name: string, inner: readonly TypedArbitrary[]) =>
  fc
    .array(maybeArray(inner.length === 0 ? elementary : fc.oneof(elementary, fc.constantFrom(...inner))), {
      minLength: 1,
      maxLength: 4,
    })
    .map((members) => ({
      type: name,
      members: members.map(({ type }, index) => ({ name: `m${index}`, type })),
      value: fc.record(Object.fromEntries(members.map(({ value }, index) => [`m${index}`, value]))),
    }));

const typedData = struct('Inner', [])
  .chain((inner) => struct('Middle', [inner]).map((middle) => [inner, middle] as const))
  .chain(([inner, middle]) => struct('Outer', [inner, middle]).map((outer) => [inner, middle, outer] as const))
  .chain((structs) =>
    fc.record({
      domain,
      types: fc.constant(Object.fromEntries(structs.map(({ type, members }) => [type, members]))),
      primaryType: fc.constant('Outer'),
      message: structs[2].value,
    }),
  );

const toText = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? part.toString() : part));

test('the digest of random typed data is the one ox computes', () => {
  fc.assert(
    fc.property(typedData, (data) => {
      const { digest } = parseTypedData(toText(data), contextWith());
      expect(`0x${bytesToHex(digest)}`).toBe(TypedData.getSignPayload(data as never));
    }),
  );
});

test('policies see the values that were signed', () => {
  fc.assert(
    fc.property(typedData, (data) => {
      const { policy } = parseTypedData(toText(data), contextWith());
      expect(policy.message).toEqual(viewOf(data.message));
    }),
  );
});

function viewOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(viewOf);
  if (typeof value !== 'object' || value === null) return value;
  return new Map(Object.entries(value).map(([name, part]) => [name, viewOf(part)]));
}
