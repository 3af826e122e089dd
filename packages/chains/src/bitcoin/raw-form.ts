import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { type RawForm, startsWith } from '../raw/raw-form.ts';

const HASH_BYTES = 32;
const tapSighash = sha256(utf8ToBytes('TapSighash'));

/**
 * Bitcoin signs a double SHA-256, so the payload of one SHA-256 is a hash. BIP-341 signs one SHA-256, of hashes. Neither shows the
 * outputs, so no raw payload can be read as a Bitcoin transaction.
 */
export const bitcoinRawForm: RawForm = {
  hashFunction: 'HASH_FUNCTION_SHA256',
  hides(bytes) {
    if (bytes.length === HASH_BYTES) return 'as long as a hash, and Bitcoin signs hashes of hashes';
    return startsWith(bytes, tapSighash) ? 'hashes of a Bitcoin transaction (BIP-341), which do not show its outputs' : undefined;
  },
};
