import { equalBytes } from '@noble/curves/utils.js';
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { concat, toHex } from '../shared/bytes.ts';
import { invalidTransaction } from '../shared/refusal.ts';
import type { AbiType } from './abi-type.ts';
import { fromBigEndian, toWord } from './integer.ts';
import { type ElementaryType, integerFits } from './solidity-type.ts';

/** A decoded value. Integers are bigint, addresses and bytes lower-case `0x` hex, arrays and tuples lists in ABI order. */
export type AbiValue = boolean | bigint | string | readonly AbiValue[];

/**
 * Decodes arguments. Accepts only the layout that encoders produce: tails in order, without gaps, shared parts or spare bits.
 * Throws ChainError INVALID_TRANSACTION for any other layout. Time is linear in the data: values do not share bytes.
 */
export function decodeAbi(types: readonly AbiType[], data: Uint8Array): readonly AbiValue[] {
  const { value, end } = readSequence(types, data, 0);
  if (end !== data.length) throw invalidTransaction(`${data.length - end} bytes follow the arguments`);
  // INVARIANT: the decoded value encodes to the input again.
  if (!equalBytes(encodeAbi(types, value), data)) throw invalidTransaction('the arguments are not in canonical ABI form');
  return value;
}

/** The ABI form of values, as `decodeAbi` returns them. The values must fit their types. */
export function encodeAbi(types: readonly AbiType[], values: readonly AbiValue[]): Uint8Array {
  const heads: Uint8Array[] = [];
  const tails: Uint8Array[] = [];
  let offset = types.reduce((sum, { headSize }) => sum + headSize, 0);
  for (const [index, type] of types.entries()) {
    const encoded = encodeValue(type, values[index] ?? '');
    if (!type.dynamic) {
      heads.push(encoded);
      continue;
    }
    heads.push(toWord(BigInt(offset)));
    tails.push(encoded);
    offset += encoded.length;
  }
  return concat([...heads, ...tails]);
}

interface Read<T> {
  readonly value: T;
  /** Where the next value begins. */
  readonly end: number;
}

function readSequence(types: readonly AbiType[], data: Uint8Array, start: number): Read<readonly AbiValue[]> {
  const values: AbiValue[] = [];
  let head = start;
  let tail = start + types.reduce((sum, { headSize }) => sum + headSize, 0);
  if (tail > data.length) throw tooShort();
  for (const type of types) {
    if (type.dynamic && fromBigEndian(readWord(data, head)) !== BigInt(tail - start)) {
      throw invalidTransaction('an offset does not point to the next part of the data');
    }
    const read = readValue(type, data, type.dynamic ? tail : head);
    values.push(read.value);
    head += type.headSize;
    if (type.dynamic) tail = read.end;
  }
  return { value: values, end: tail };
}

function readValue({ shape }: AbiType, data: Uint8Array, start: number): Read<AbiValue> {
  switch (shape.kind) {
    case 'tuple':
      return readSequence(
        shape.members.map(({ type }) => type),
        data,
        start,
      );
    case 'array': {
      if (shape.length !== undefined) return readSequence(repeat(shape.element, shape.length, data, start), data, start);
      const length = readLength(data, start);
      return readSequence(repeat(shape.element, length, data, start + 32), data, start + 32);
    }
    case 'bytes':
    case 'string':
      return readBytes(shape.kind, data, start);
    default:
      return { value: readElementary(shape, readWord(data, start)), end: start + 32 };
  }
}

/** SECURITY: checks that the elements fit the remaining data before it allocates a list of the claimed length. */
function repeat(element: AbiType, length: number, data: Uint8Array, start: number): readonly AbiType[] {
  if (length * element.headSize > data.length - start) throw tooShort();
  return Array.from({ length }, () => element);
}

function readBytes(kind: 'bytes' | 'string', data: Uint8Array, start: number): Read<string> {
  const length = readLength(data, start);
  const content = data.subarray(start + 32, start + 32 + length);
  const end = start + 32 + Math.ceil(length / 32) * 32;
  if (end > data.length) throw tooShort();
  if (data.subarray(start + 32 + length, end).some((byte) => byte !== 0))
    throw invalidTransaction('the padding of bytes is not zero');
  return { value: kind === 'bytes' ? toHex(content) : readUtf8(content), end };
}

function readUtf8(content: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    // A fatal decoder fails only for this reason.
    throw invalidTransaction('a string is not valid UTF-8');
  }
}

/** A length no larger than the data, so it is exact as a number. */
function readLength(data: Uint8Array, start: number): number {
  const length = fromBigEndian(readWord(data, start));
  if (length > data.length) throw tooShort();
  return Number(length);
}

function readElementary(type: ElementaryType, word: Uint8Array): AbiValue {
  const unsigned = fromBigEndian(word);
  switch (type.kind) {
    case 'uint':
    case 'int': {
      const value = type.kind === 'int' ? BigInt.asIntN(256, unsigned) : unsigned;
      if (!integerFits(type, value)) throw invalidTransaction(`a value does not fit into ${type.kind}${type.bits}`);
      return value;
    }
    case 'bool':
      if (unsigned > 1n) throw invalidTransaction('a bool is neither 0 nor 1');
      return unsigned === 1n;
    case 'address':
      if (unsigned >> 160n !== 0n) throw invalidTransaction('an address has more than 20 bytes');
      return toHex(word.subarray(12));
    case 'fixedBytes':
      if (word.subarray(type.size).some((byte) => byte !== 0)) throw invalidTransaction('the padding of fixed bytes is not zero');
      return toHex(word.subarray(0, type.size));
    default:
      throw new TypeError(`${type.kind} is not held in a word`);
  }
}

function encodeValue({ shape, name }: AbiType, value: AbiValue): Uint8Array {
  if (shape.kind === 'tuple' && typeof value === 'object') {
    return encodeAbi(
      shape.members.map(({ type }) => type),
      value,
    );
  }
  if (shape.kind === 'array' && typeof value === 'object') {
    const elements = encodeAbi(
      value.map(() => shape.element),
      value,
    );
    return shape.length === undefined ? concat([toWord(BigInt(value.length)), elements]) : elements;
  }
  if (typeof value === 'bigint') return toWord(value);
  if (typeof value === 'boolean') return toWord(value ? 1n : 0n);
  if (typeof value !== 'string') throw new TypeError(`a list is not a value of ${name}`);
  const bytes = shape.kind === 'string' ? utf8ToBytes(value) : hexToBytes(value.slice(2));
  if (shape.kind === 'address') return padded([new Uint8Array(12), bytes]);
  if (shape.kind === 'fixedBytes') return padded([bytes]);
  return padded([toWord(BigInt(bytes.length)), bytes]);
}

function padded(parts: readonly Uint8Array[]): Uint8Array {
  const joined = concat(parts);
  return concat([joined, new Uint8Array((32 - (joined.length % 32)) % 32)]);
}

function readWord(data: Uint8Array, start: number): Uint8Array {
  if (start + 32 > data.length) throw tooShort();
  return data.subarray(start, start + 32);
}

function tooShort(): Error {
  return invalidTransaction('the data is too short for the arguments');
}
