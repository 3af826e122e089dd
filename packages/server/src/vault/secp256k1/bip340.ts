import { createHash } from 'node:crypto';

function tagPrefix(tag: string): Uint8Array {
  const hash = createHash('sha256').update(tag).digest();
  return Buffer.concat([hash, hash]);
}

/** BIP-340, BIP-341: SHA-256 after two copies of the tag's hash, so that hashes of different kinds never collide. */
const prefixes = Object.freeze({
  auxiliary: tagPrefix('BIP0340/aux'),
  nonce: tagPrefix('BIP0340/nonce'),
  challenge: tagPrefix('BIP0340/challenge'),
  tapTweak: tagPrefix('TapTweak'),
});

/** The tagged hash of the concatenated parts. */
export function taggedHash(tag: keyof typeof prefixes, ...parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha256').update(prefixes[tag]);
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** BIP-340 uses the one of the two points whose y is even. */
export function hasEvenY(publicKey: Uint8Array): boolean {
  return publicKey[0] === 0x02;
}
