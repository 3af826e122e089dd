import { concat } from '../shared/bytes.ts';
import { invalidTransaction } from '../shared/refusal.ts';
import { toBigEndian } from './integer.ts';

/** An RLP value: a byte string or a list (Ethereum yellow paper, appendix B). */
export type RlpItem = Uint8Array | readonly RlpItem[];

// A transaction nests four levels deep: fields, access list, entry, storage keys.
const maxDepth = 6;

/**
 * Reads exactly one item that fills the whole input, in its one canonical form.
 * Throws ChainError INVALID_TRANSACTION otherwise. `encodeRlp` returns the same bytes for all accepted input.
 */
export function decodeRlp(input: Uint8Array): RlpItem {
  const { item, end } = readItem(input, 0, input.length, 0);
  if (end !== input.length) throw invalidTransaction(`${input.length - end} bytes follow the end of the RLP value`);
  return item;
}

/** The canonical RLP form of an item. */
export function encodeRlp(item: RlpItem): Uint8Array {
  if (item instanceof Uint8Array) {
    const [first] = item;
    return item.length === 1 && first !== undefined && first < 0x80 ? item : concat([header(0x80, item.length), item]);
  }
  const payload = concat(item.map(encodeRlp));
  return concat([header(0xc0, payload.length), payload]);
}

function header(base: 0x80 | 0xc0, length: number): Uint8Array {
  if (length < 56) return Uint8Array.of(base + length);
  const size = toBigEndian(BigInt(length));
  return Uint8Array.of(base + 55 + size.length, ...size);
}

interface Read<T> {
  readonly item: T;
  readonly end: number;
}

function readItem(input: Uint8Array, start: number, limit: number, depth: number): Read<RlpItem> {
  const first = start < limit ? input[start] : undefined;
  if (first === undefined) throw invalidTransaction('the RLP value ends before it is complete');
  if (first < 0x80) return { item: input.subarray(start, start + 1), end: start + 1 };

  const base = first < 0xc0 ? 0x80 : 0xc0;
  const { item: length, end: payload } = readLength(input, start, limit, first - base);
  const end = payload + length;
  if (end > limit) throw invalidTransaction(`an RLP value of ${length} bytes ends outside of the value that holds it`);
  if (base === 0xc0) return { item: readList(input, payload, end, depth + 1), end };

  const [only] = length === 1 ? input.subarray(payload, end) : [];
  if (only !== undefined && only < 0x80)
    throw invalidTransaction('the RLP is not canonical: a byte below 0x80 has a length prefix');
  return { item: input.subarray(payload, end), end };
}

function readList(input: Uint8Array, start: number, end: number, depth: number): readonly RlpItem[] {
  if (depth > maxDepth) throw invalidTransaction(`the RLP lists are nested more than ${maxDepth} deep`);
  const items: RlpItem[] = [];
  for (let position = start; position < end; ) {
    const read = readItem(input, position, end, depth);
    items.push(read.item);
    position = read.end;
  }
  return items;
}

/** `code` is the first byte minus its base. Below 56 it is the length; above, the number of length bytes plus 55. */
function readLength(input: Uint8Array, start: number, limit: number, code: number): Read<number> {
  if (code < 56) return { item: code, end: start + 1 };
  const end = start + 1 + code - 55;
  // Four length bytes exceed any accepted input and stay exact as a number.
  if (code - 55 > 4) throw invalidTransaction('an RLP length is larger than the input');
  if (end > limit) throw invalidTransaction('the RLP value ends before it is complete');
  const bytes = input.subarray(start + 1, end);
  if (bytes[0] === 0) throw invalidTransaction('the RLP is not canonical: a length has leading zeros');
  const length = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  if (length < 56) throw invalidTransaction('the RLP is not canonical: a short length is written in the long form');
  return { item: length, end };
}
