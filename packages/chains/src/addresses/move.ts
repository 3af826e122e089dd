import { blake2b } from '@noble/hashes/blake2.js';
import { sha3_256 } from '@noble/hashes/sha3.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { hex } from '@scure/base';
import { defineAddressFormat } from './address-format.ts';
import type { TextEncoding } from './encodings.ts';

/** Sui and Aptos both number their signature schemes, and both number ed25519 as 0. */
const ED25519_SCHEME = Uint8Array.of(0x00);

const SHAPE = /^0[xX][0-9a-fA-F]{64}$/;

/** 0x and all 64 hex digits. Refuses short forms such as 0x1: they name system accounts that no key controls. */
const longHex: TextEncoding = {
  print: (payload) => `0x${hex.encode(payload)}`,
  read(text) {
    if (!SHAPE.test(text)) throw new Error('another shape');
    return hex.decode(text.slice(2).toLowerCase());
  },
};

/** Sui: BLAKE2b-256 of the scheme byte and the key. */
export const sui = defineAddressFormat({
  id: 'ADDRESS_FORMAT_SUI',
  curves: ['CURVE_ED25519'],
  defaultPath: "m/44'/784'/0'/0'/0'",
  payload: (key) => blake2b(concatBytes(ED25519_SCHEME, key.compressed), { dkLen: 32 }),
  ...longHex,
});

/** Aptos: SHA3-256 of the key and the scheme byte. */
export const aptos = defineAddressFormat({
  id: 'ADDRESS_FORMAT_APTOS',
  curves: ['CURVE_ED25519'],
  defaultPath: "m/44'/637'/0'/0'/0'",
  payload: (key) => sha3_256(concatBytes(key.compressed, ED25519_SCHEME)),
  ...longHex,
});
