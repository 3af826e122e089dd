import { bytesToHex } from '@noble/hashes/utils.js';
import { ChainError } from '../errors.ts';
import type { RawForm } from '../raw/raw-form.ts';
import { decodeRlp } from './rlp.ts';

/** EIP-191: the first byte of messages. It is never that of a transaction. */
const MESSAGE = 0x19;
/** EIP-712: the version byte of typed data. A hash of the domain and one of the message follow. */
const TYPED_DATA = 0x01;
/** EIP-191: the version byte of data for a contract, whose address follows. */
const VALIDATOR_DATA = 0x00;
/** EIP-2718: type bytes are below 0x80. */
const TYPES = 0x80;
/** EIP-7702: the first byte of an authorization. */
const AUTHORIZATION = 0x05;
/** A legacy transaction has at least six fields. */
const LEGACY_FIELDS = 6;
/** RLP: the first bytes of strings and of lists, and the longest length that is part of them. */
const STRING = 0x80;
const LIST = 0xc0;
const SHORT = 55;

/** Ethereum signs the keccak-256 of an RLP list, or of a type byte and one (EIP-2718). */
export const ethereumRawForm: RawForm = {
  hashFunction: 'HASH_FUNCTION_KECCAK256',
  toUnsigned: (bytes) => (bytes[0] === AUTHORIZATION || !hasForm(bytes) ? undefined : bytesToHex(bytes)),
  hides(bytes) {
    if (bytes[0] === MESSAGE && bytes[1] === TYPED_DATA)
      return 'hashes of a typed message (EIP-712), which do not show the message';
    return hasForm(bytes) ? 'in the form of an Ethereum transaction, and does not parse as one' : undefined;
  },
};

/** What comes before a message of 32 bytes, on Ethereum and on chains that took its form. */
const prefix = /^.[\w ]{1,32} Signed Message:\n32$/;
const HASH_BYTES = 32;
/** A prefix and a hash are shorter. */
const MAX_MESSAGE_BYTES = 100;
/** Text of few characters is no hash: one hash in 2^63 has only these. */
const text = /^[0-9A-Za-z _-]*$/;

/**
 * Why a message of EIP-191 does not show what it is for, as the end of `the payload is …`. Undefined if it does, or is not one.
 * SECURITY: D520: Safe and accounts of ERC-4337 accept such a message as they accept typed data, if its content is the hash of a
 * transaction.
 */
export function hiddenMessage(bytes: Uint8Array): string | undefined {
  if (bytes[0] !== MESSAGE) return undefined;
  if (bytes[1] === VALIDATOR_DATA) return 'data for a contract (EIP-191, version 0), which does not show what it is for';
  const letters = bytes.length > MAX_MESSAGE_BYTES ? '' : String.fromCharCode(...bytes);
  if (!prefix.test(letters.slice(0, -HASH_BYTES))) return undefined;
  const content = letters.slice(-HASH_BYTES);
  return text.test(content) ? undefined : 'a message with a hash as its content, which contracts accept for a transaction';
}

/** Whether bytes have the form of a transaction, also of a type or a chain that this service does not know. */
function hasForm(bytes: Uint8Array): boolean {
  const first = bytes[0] ?? 0;
  if (first === MESSAGE) return false;
  const items = itemsIn(first < TYPES ? bytes.subarray(1) : bytes);
  return items !== undefined && (first < TYPES || items >= LEGACY_FIELDS);
}

/** The JSON form of an EIP-7702 authorization, 0x05 || rlp([chain_id, address, nonce]). Undefined if the bytes are not one. */
export function authorizationOf(bytes: Uint8Array): string | undefined {
  if (bytes[0] !== AUTHORIZATION) return undefined;
  const items = authorizationItems(bytes.subarray(1));
  if (items.length !== 3) return undefined;
  const [chainId, address, nonce] = items.map((item) => bytesToHex(item));
  return JSON.stringify({ address: `0x${address}`, chainId: `0x${chainId || '0'}`, nonce: `0x${nonce || '0'}` });
}

function authorizationItems(bytes: Uint8Array): readonly Uint8Array[] {
  try {
    const list = decodeRlp(bytes);
    return list instanceof Uint8Array ? [] : list.filter((item) => item instanceof Uint8Array);
  } catch (error) {
    if (error instanceof ChainError) return [];
    throw error;
  }
}

/** How many items an RLP list has that fills the bytes. Undefined if they are not a list. Reads no item, so any list counts. */
function itemsIn(bytes: Uint8Array): number | undefined {
  const list = spanOf(bytes, 0);
  if ((bytes[0] ?? 0) < LIST || list?.end !== bytes.length) return undefined;
  let count = 0;
  for (let at = list.start; at < list.end; count++) {
    const item = spanOf(bytes, at);
    if (item === undefined || item.end > list.end) return undefined;
    at = item.end;
  }
  return count;
}

/** Where the content of the RLP item at a position starts and ends. Undefined if its header is incomplete. */
function spanOf(bytes: Uint8Array, at: number): { readonly start: number; readonly end: number } | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  if (first < STRING) return { start: at, end: at + 1 };
  const code = first - (first < LIST ? STRING : LIST);
  if (code <= SHORT) return { start: at + 1, end: at + 1 + code };
  const start = at + 1 + code - SHORT;
  if (start > bytes.length) return undefined;
  const length = bytes.subarray(at + 1, start).reduce((sum, byte) => sum * 256 + byte, 0);
  return { start, end: start + length };
}
