import { maxUint } from './integer.ts';

/** A Solidity type without parts, named the same in the ABI and in EIP-712. */
export type ElementaryType =
  | { readonly kind: 'uint' | 'int'; readonly bits: number }
  | { readonly kind: 'fixedBytes'; readonly size: number }
  | { readonly kind: 'address' | 'bool' | 'bytes' | 'string' };

/** A type name without its array suffixes: `uint8[2][]` is `uint8` and `[2, undefined]`. */
interface ArraySuffix {
  readonly base: string;
  /** From the innermost to the outermost. Undefined means an array of any length. */
  readonly lengths: readonly (number | undefined)[];
}

const maxDimensions = 8;
// Larger than any transaction or message could hold, and small enough to multiply safely.
const maxFixedLength = 65_536;

/** The elementary type of a canonical name, or undefined. The aliases `uint` and `int` are not canonical. */
export function parseElementaryType(name: string): ElementaryType | undefined {
  if (name === 'address' || name === 'bool' || name === 'bytes' || name === 'string') return { kind: name };
  const [, kind, digits] = /^(uint|int|bytes)([1-9][0-9]{0,2})$/.exec(name) ?? [];
  const size = Number(digits);
  if (kind === 'bytes') return size <= 32 ? { kind: 'fixedBytes', size } : undefined;
  if (kind === 'uint' || kind === 'int') return size % 8 === 0 && size <= 256 ? { kind, bits: size } : undefined;
  return undefined;
}

/** Splits off array suffixes. Undefined when they are malformed, empty (`[0]`), too many or too long. */
export function parseArraySuffix(name: string): ArraySuffix | undefined {
  const [, base, suffix] = /^([^[\]]+)((?:\[[0-9]*\])*)$/.exec(name) ?? [];
  if (base === undefined || suffix === undefined) return undefined;
  const sizes = suffix === '' ? [] : suffix.slice(1, -1).split('][');
  const wellFormed = sizes.every((size) => size === '' || (/^[1-9][0-9]{0,4}$/.test(size) && Number(size) <= maxFixedLength));
  if (!wellFormed || sizes.length > maxDimensions) return undefined;
  return { base, lengths: sizes.map((size) => (size === '' ? undefined : Number(size))) };
}

/** Whether an integer is in the range of its type. */
export function integerFits(type: ElementaryType & { kind: 'uint' | 'int' }, value: bigint): boolean {
  if (type.kind === 'uint') return value >= 0n && value <= maxUint(type.bits);
  const limit = 1n << BigInt(type.bits - 1);
  return value >= -limit && value < limit;
}

/** What Solidity and Vyper allow as a name of a function, parameter or struct member. */
export function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][A-Za-z0-9_$]{0,127}$/.test(name);
}
