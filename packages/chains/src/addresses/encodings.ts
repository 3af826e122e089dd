import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { base58, bech32 } from '@scure/base';

/** Writes a payload as text and reads it back. `read` throws on text that `print` could not have written. */
export interface TextEncoding {
  print(payload: Uint8Array): string;
  read(text: string): Uint8Array;
}

/** RIPEMD-160 of SHA-256, 20 bytes. */
export function hash160(bytes: Uint8Array): Uint8Array {
  return ripemd160(sha256(bytes));
}

/** Throws unless there are exactly `length` bytes. */
export function requireLength(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length !== length) throw new Error(`expected ${length} bytes, got ${bytes.length}`);
  return bytes;
}

function doubleSha256Checksum(bytes: Uint8Array): Uint8Array {
  return sha256(sha256(bytes)).subarray(0, 4);
}

/** Base58Check of one version byte and a 20-byte hash, followed by four bytes of double SHA-256. */
export function base58CheckEncoding(version: number, alphabet: typeof base58 = base58): TextEncoding {
  return {
    print(payload) {
      const body = concatBytes(Uint8Array.of(version), payload);
      return alphabet.encode(concatBytes(body, doubleSha256Checksum(body)));
    },
    read(text) {
      const bytes = requireLength(alphabet.decode(text), 25);
      const body = bytes.subarray(0, 21);
      if (doubleSha256Checksum(body).some((byte, i) => byte !== bytes[21 + i])) throw new Error('bad checksum');
      if (body[0] !== version) throw new Error('wrong version byte');
      return body.slice(1);
    },
  };
}

/** Bech32 (BIP-173) of `length` payload bytes without a version symbol, as Cosmos chains use it. */
export function bech32Encoding(prefix: string, length: number): TextEncoding {
  return {
    print: (payload) => bech32.encodeFromBytes(prefix, payload),
    read(text) {
      const { prefix: found, bytes } = bech32.decodeToBytes(text);
      if (found !== prefix) throw new Error('another prefix');
      return requireLength(bytes, length);
    },
  };
}
