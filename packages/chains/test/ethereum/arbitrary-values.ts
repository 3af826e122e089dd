import fc from 'fast-check';
import { fixedHex, hexOf, uint } from './arbitrary-transactions.ts';

/** A type of the ABI or of EIP-712 with values for it, as ox takes them. */
export interface TypedArbitrary {
  readonly type: string;
  readonly value: fc.Arbitrary<unknown>;
}

const signed = (bits: number): fc.Arbitrary<bigint> =>
  fc.oneof(
    fc.bigInt({ min: -100n, max: 100n }),
    fc.bigInt({ min: -(1n << BigInt(bits - 1)), max: (1n << BigInt(bits - 1)) - 1n }),
  );

const bits = fc.integer({ min: 1, max: 32 }).map((bytes) => bytes * 8);

/** Types without parts. Text is any Unicode but half surrogate pairs, which have no UTF-8. */
export const elementary: fc.Arbitrary<TypedArbitrary> = fc.oneof(
  bits.map((size) => ({ type: `uint${size}`, value: uint(size).filter((value) => value < 1n << BigInt(size)) })),
  bits.map((size) => ({ type: `int${size}`, value: signed(size).filter((value) => BigInt.asIntN(size, value) === value) })),
  fc.integer({ min: 1, max: 32 }).map((size) => ({ type: `bytes${size}`, value: fixedHex(size) })),
  fc.constant({ type: 'address', value: fixedHex(20) }),
  fc.constant({ type: 'bool', value: fc.boolean() }),
  fc.constant({ type: 'bytes', value: hexOf({ maxLength: 70 }) }),
  fc.constant({ type: 'string', value: fc.string({ unit: 'grapheme', maxLength: 40 }) }),
);

/** The array of a type: of any length, or of a fixed one. */
export function arrayOf(element: TypedArbitrary, length: number | undefined): TypedArbitrary {
  return {
    type: `${element.type}[${length ?? ''}]`,
    value: fc.array(element.value, length === undefined ? { maxLength: 3 } : { minLength: length, maxLength: length }),
  };
}

export const arrayLength = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined });
