import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { includesBytes, type RawForm } from '../raw/raw-form.ts';

/** Every contract names its type so. java-tron accepts any text before the slash. */
const typeName = utf8ToBytes('/protocol.');

/** Tron signs the SHA-256 of `raw_data`. */
export const tronRawForm: RawForm = {
  hashFunction: 'HASH_FUNCTION_SHA256',
  toUnsigned: (bytes) => (includesBytes(bytes, typeName) ? bytesToHex(bytes) : undefined),
  hides: (bytes) =>
    includesBytes(bytes, typeName) ? 'in the form of a Tron transaction, and does not parse as one of this key' : undefined,
};
