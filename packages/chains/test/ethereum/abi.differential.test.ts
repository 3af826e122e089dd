import { hexToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { AbiFunction, AbiParameters } from 'ox';
import { describe, expect, test } from 'vitest';
import { type AbiValue, decodeAbi, encodeAbi } from '../../src/ethereum/abi-codec.ts';
import { parseContractInterface } from '../../src/ethereum/index.ts';
import { arrayLength, arrayOf, elementary, type TypedArbitrary } from './arbitrary-values.ts';

interface Parameter extends TypedArbitrary {
  readonly components?: readonly Parameter[];
}

const { parameter } = fc.letrec<{ parameter: Parameter; array: Parameter; tuple: Parameter; elementary: Parameter }>((tie) => ({
  parameter: fc.oneof({ maxDepth: 3 }, tie('elementary'), tie('array'), tie('tuple')),
  elementary,
  array: fc.tuple(tie('parameter'), arrayLength).map(([element, length]) => ({ ...element, ...arrayOf(element, length) })),
  tuple: fc.array(tie('parameter'), { minLength: 1, maxLength: 3 }).map((components) => ({
    type: 'tuple',
    components,
    value: fc.tuple(...components.map(({ value }) => value)),
  })),
}));

/** A function of random parameters and random arguments for it. */
const call = fc.array(parameter, { maxLength: 4 }).chain((inputs) =>
  fc.record({
    abi: fc.constant({
      type: 'function',
      name: 'f',
      inputs: inputs.map(toAbi),
      outputs: [],
      stateMutability: 'payable',
    } as const),
    values: fc.tuple(...inputs.map(({ value }) => value)),
  }),
);

function toAbi({ type, components }: Parameter, index: number): AbiParameters.Parameter {
  return { name: `p${index}`, type, ...(components && { components: components.map(toAbi) }) } as AbiParameters.Parameter;
}

function typesOf(abi: unknown): Parameters<typeof decodeAbi>[0] {
  const [entry] = parseContractInterface(JSON.stringify([abi])).functions.values();
  return entry?.inputs.map(({ type }) => type) ?? [];
}

/** ox takes tuples by name; our values are by position. */
function named(inputs: readonly AbiParameters.Parameter[], values: readonly unknown[]): unknown[] {
  return inputs.map((input, index) => namedValue(input, values[index]));
}

function namedValue(input: AbiParameters.Parameter, value: unknown): unknown {
  if (input.type.endsWith(']')) {
    const element = { ...input, type: input.type.slice(0, input.type.lastIndexOf('[')) } as AbiParameters.Parameter;
    return (value as unknown[]).map((item) => namedValue(element, item));
  }
  if (!('components' in input)) return value;
  const parts = named(input.components, value as unknown[]);
  return Object.fromEntries(input.components.map(({ name }, index) => [name, parts[index]]));
}

describe('the contract ABI against ox', () => {
  test('selectors are the same', () => {
    fc.assert(
      fc.property(call, ({ abi }) => {
        const [selector] = parseContractInterface(JSON.stringify([abi])).functions.keys();
        expect(selector).toBe(AbiFunction.getSelector(abi as never));
      }),
    );
  });

  test('what ox encodes is decoded to the same values, and our encoding is the same', () => {
    fc.assert(
      fc.property(call, ({ abi, values }) => {
        const types = typesOf(abi);
        const encoded = hexToBytes(AbiParameters.encode(abi.inputs as never, named(abi.inputs, values) as never).slice(2));
        expect(encodeAbi(types, values as AbiValue[])).toEqual(encoded);
        expect(decodeAbi(types, encoded)).toEqual(values);
      }),
    );
  });

  test('D40: one byte more, less or changed is refused or decoded to other values', () => {
    fc.assert(
      fc.property(call, fc.nat(), fc.integer({ min: 1, max: 255 }), ({ abi, values }, at, change) => {
        const types = typesOf(abi);
        const encoded = encodeAbi(types, values as AbiValue[]);
        expect(() => decodeAbi(types, Uint8Array.of(...encoded, 0))).toThrow();
        fc.pre(encoded.length > 0);
        expect(() => decodeAbi(types, encoded.subarray(1))).toThrow();
        const changed = encoded.with(at % encoded.length, (encoded[at % encoded.length] ?? 0) ^ change);
        let decoded: readonly AbiValue[];
        try {
          decoded = decodeAbi(types, changed);
        } catch {
          return;
        }
        expect(encodeAbi(types, decoded)).toEqual(changed);
        expect(decoded).not.toEqual(values);
      }),
    );
  });
});
