import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { concat, fromHexDigits, withoutPrefix } from '../shared/bytes.ts';
import { invalidTransaction } from '../shared/refusal.ts';
import { WireReader } from './wire-reader.ts';
import { bytesField, varint } from './wire-writer.ts';

/** The block that a transaction refers to, and the time until which blocks can contain it. */
export interface TronReference {
  /** The last two bytes of its number, in hexadecimal. */
  readonly refBlockBytes: string;
  /** Eight bytes of its hash, in hexadecimal. */
  readonly refBlockHash: string;
  /** In milliseconds. */
  readonly expiration: string;
}

/** What a transaction has in place of a reference if the sender fills it in. */
export const NO_TRON_REFERENCE = { refBlockBytes: '0000', refBlockHash: '0000000000000000' };

const REF_BLOCK_BYTES = 1;
const REF_BLOCK_HASH = 4;
const EXPIRATION = 8;
const MAX_BYTES = 500 * 1024;

/** The reference of `raw_data_hex`. Undefined if the sender fills it in. Throws ChainError. */
export function tronReferenceOf(rawData: string): TronReference | undefined {
  const found = read(rawData).reference;
  return isAbsent(found) ? undefined : found;
}

/**
 * The same `raw_data_hex` with a reference, without 0x. Pure: verifiers build the same bytes.
 * INVARIANT: only an absent reference is filled in, with the expiration that belongs to it, and nothing else changes. Throws ChainError if the
 * transaction has another reference.
 */
export function withTronReference(rawData: string, wanted: TronReference): string {
  const { reference, fields } = read(rawData);
  const isSame = (Object.keys(wanted) as (keyof TronReference)[]).every((name) => wanted[name] === reference[name]);
  if (isSame) return withoutPrefix(rawData).toLowerCase();
  if (!isAbsent(reference)) throw invalidTransaction('it has another reference block or expiration');
  const values: ReadonlyMap<number, Uint8Array> = new Map([
    [REF_BLOCK_BYTES, bytesField(REF_BLOCK_BYTES, bytesOf(REF_BLOCK_BYTES, wanted.refBlockBytes, 2))],
    [REF_BLOCK_HASH, bytesField(REF_BLOCK_HASH, bytesOf(REF_BLOCK_HASH, wanted.refBlockHash, 8))],
    [EXPIRATION, concat([Uint8Array.of(EXPIRATION << 3), varint(BigInt(wanted.expiration))])],
  ]);
  return bytesToHex(concat(fields.map(({ number, bytes }) => values.get(number) ?? bytes)));
}

function isAbsent({ refBlockBytes, refBlockHash }: TronReference): boolean {
  return refBlockBytes === NO_TRON_REFERENCE.refBlockBytes && refBlockHash === NO_TRON_REFERENCE.refBlockHash;
}

/** Reads the fields at the top. What they contain is read by the parser of transactions. */
function read(rawData: string) {
  const digits = withoutPrefix(rawData);
  const bytes = digits.length > 2 * MAX_BYTES ? undefined : fromHexDigits(digits);
  if (bytes === undefined) throw invalidTransaction(`it is not hexadecimal, or longer than ${MAX_BYTES} bytes`);
  const reader = new WireReader(bytes, 'raw_data');
  const fields: { readonly number: number; readonly bytes: Uint8Array }[] = [];
  let [refBlockBytes, refBlockHash, expiration] = ['', '', ''];
  while (!reader.atEnd) {
    const start = reader.position;
    const tag = reader.tag();
    const [number, wireType] = [Math.floor(tag / 8), tag % 8];
    if (wireType !== 0 && wireType !== 2) throw invalidTransaction(`field ${number} of raw_data has an unknown form`);
    const value = wireType === 0 ? reader.integer() : reader.delimited();
    if (number === REF_BLOCK_BYTES && typeof value !== 'bigint') refBlockBytes = bytesToHex(value);
    if (number === REF_BLOCK_HASH && typeof value !== 'bigint') refBlockHash = bytesToHex(value);
    if (number === EXPIRATION) expiration = `${value}`;
    fields.push({ number, bytes: bytes.subarray(start, reader.position) });
  }
  if (refBlockBytes === '' || refBlockHash === '' || expiration === '')
    throw invalidTransaction('it needs a reference block and an expiration. Zeros for the block leave both to the service');
  return { reference: { refBlockBytes, refBlockHash, expiration }, fields };
}

function bytesOf(number: number, hex: string, length: number): Uint8Array {
  if (hex.length !== 2 * length) throw invalidTransaction(`field ${number} of raw_data has ${length} bytes`);
  return hexToBytes(hex);
}
