import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { base58CheckEncoding } from '../addresses/encodings.ts';
import { invalidTransaction } from '../shared/refusal.ts';
import { type Content, decodeMessage, encodeMessage, type FieldCoder, type MessageSpec } from './protobuf.ts';

/** The first byte of every address, on the main network and on today's test networks. */
const ADDRESS_PREFIX = 0x41;

const addressText = base58CheckEncoding(ADDRESS_PREFIX);
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function integer(bits: bigint): FieldCoder {
  return {
    wire: 0,
    absent: 0n,
    fromWire(raw, what) {
      // Signed on the wire, but no field of the chain has a meaning below zero.
      if ((raw as bigint) >= 1n << (bits - 1n)) throw invalidTransaction(`${what} is negative or too large`);
      return raw as bigint;
    },
    toWire: (value) => value as bigint,
  };
}

export const int32 = integer(32n);
export const int64 = integer(64n);

export const bool: FieldCoder = {
  wire: 0,
  absent: false,
  fromWire(raw, what) {
    if (raw !== 1n) throw invalidTransaction(`${what} is a flag that is not 1`);
    return true;
  },
  toWire: (value) => (value === true ? 1n : 0n),
};

/** An enum by the names of its values, numbered from 0. */
export function enumOf(names: readonly string[]): FieldCoder {
  return {
    wire: 0,
    ...(names[0] !== undefined && { absent: names[0] }),
    fromWire(raw, what) {
      const name = names[Number(raw)];
      if (name === undefined) throw invalidTransaction(`${what} has the unknown value ${raw}`);
      return name;
    },
    toWire: (value) => BigInt(names.indexOf(value as string)),
  };
}

/** An address: 0x41 and 20 bytes, as Base58Check text. An address has no default: a missing address stays missing. */
export const address: FieldCoder = {
  wire: 2,
  fromWire(raw, what) {
    const bytes = raw as Uint8Array;
    if (bytes.length !== 21 || bytes[0] !== ADDRESS_PREFIX)
      throw invalidTransaction(`${what} is not an address of 0x41 and 20 bytes`);
    return addressText.print(bytes.subarray(1));
  },
  toWire: (value) => Uint8Array.of(ADDRESS_PREFIX, ...addressText.read(value as string)),
};

/** Bytes as lower-case hex without a prefix. */
export const hex: FieldCoder = {
  wire: 2,
  absent: '',
  fromWire: (raw) => bytesToHex(raw as Uint8Array),
  toWire: (value) => hexToBytes(value as string),
};

/** A message that is kept as it came, in hex. A message of no bytes differs from a missing one. */
export const opaque: FieldCoder = { wire: 2, fromWire: hex.fromWire, toWire: hex.toWire };

/** Text. The protocol may call it a string or bytes. */
export const text: FieldCoder = {
  wire: 2,
  absent: '',
  fromWire(raw, what) {
    try {
      return utf8.decode(raw as Uint8Array);
    } catch {
      // A fatal decoder fails only for text that is not UTF-8.
      throw invalidTransaction(`${what} is not UTF-8 text`);
    }
  },
  toWire: (value) => utf8ToBytes(value as string),
};

/** A message within a message. */
export function message(spec: MessageSpec): FieldCoder {
  return {
    wire: 2,
    fromWire: (raw) => decodeMessage(raw as Uint8Array, spec),
    toWire: (value) => encodeMessage(value as Content, spec),
  };
}
