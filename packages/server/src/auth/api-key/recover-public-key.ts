import { secp256k1Engine } from './secp256k1-engine.ts';

/** Recovers the uncompressed key of a signature with the fastest engine. Parsers use it for EIP-7702. */
export function recoverPublicKey(digest: Uint8Array, r: bigint, s: bigint, yParity: 0 | 1): Uint8Array | undefined {
  const word = (value: bigint) => value.toString(16).padStart(64, '0');
  return secp256k1Engine.recover(new Uint8Array(Buffer.from(word(r) + word(s), 'hex')), digest, yParity);
}
