import { keccak_256 } from '@noble/hashes/sha3.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { concat } from '../shared/bytes.ts';

/** The EIP-191 digest (version 0x45) that wallets sign for a personal message. */
export function personalMessageDigest(message: Uint8Array): Uint8Array {
  return keccak_256(concat([utf8ToBytes(`\x19Ethereum Signed Message:\n${message.length}`), message]));
}
