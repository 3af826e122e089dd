import { bytesToHex } from '@noble/hashes/utils.js';
import { TRON_PREFIX, tronText } from '../addresses/tron.ts';
import { invalidTransaction } from '../shared/refusal.ts';
import { type BytesReader, type IntegerReader, type MessageSpec, readMessage } from './protobuf.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function integer(bits: bigint): IntegerReader {
  const max = (1n << (bits - 1n)) - 1n;
  return {
    wire: 0,
    absent: 0n,
    read(raw, what) {
      // Signed on the wire, but no field of the chain has a meaning below zero.
      if (raw > max) throw invalidTransaction(`${what} is negative or too large`);
      return raw;
    },
  };
}

export const int32 = integer(32n);
export const int64 = integer(64n);

export const bool: IntegerReader = {
  wire: 0,
  absent: false,
  read(raw, what) {
    if (raw !== 1n) throw invalidTransaction(`${what} is a flag that is not 1`);
    return true;
  },
};

/** An enum by the names of its values, numbered from 0. */
export function enumOf(names: readonly string[]): IntegerReader {
  return {
    wire: 0,
    ...(names[0] !== undefined && { absent: names[0] }),
    read(raw, what) {
      const name = names[Number(raw)];
      if (name === undefined) throw invalidTransaction(`${what} has the unknown value ${raw}`);
      return name;
    },
  };
}

/** An address: 0x41 and 20 bytes, as Base58Check text. An address has no default: a missing address stays missing. */
export const address: BytesReader = {
  wire: 2,
  read(raw, what) {
    if (raw.length !== 21 || raw[0] !== TRON_PREFIX) throw invalidTransaction(`${what} is not an address of 0x41 and 20 bytes`);
    return tronText.print(raw.subarray(1));
  },
};

/** Bytes as lower-case hex without a prefix. */
export const hex: BytesReader = { wire: 2, absent: '', read: bytesToHex };

/** A message that is kept as it came, in hex. A message of no bytes differs from a missing one. */
export const opaque: BytesReader = { wire: 2, read: bytesToHex };

/** Text. The protocol may call it a string or bytes. */
export const text: BytesReader = {
  wire: 2,
  absent: '',
  read(raw, what) {
    try {
      return utf8.decode(raw);
    } catch {
      // A fatal decoder fails only for text that is not UTF-8.
      throw invalidTransaction(`${what} is not UTF-8 text`);
    }
  },
};

/** A message within a message. */
export function message(spec: MessageSpec): BytesReader {
  return { wire: 2, read: (raw, _, maxItems) => readMessage(raw, spec, maxItems) };
}
