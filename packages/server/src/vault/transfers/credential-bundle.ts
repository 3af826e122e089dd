import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { generatePrivateKey } from '../curves/curve-keys.ts';
import { p256Keys } from '../curves/p256.ts';
import { compressed } from '../keys/p256-point.ts';
import { Secret } from '../keys/secret.ts';
import { type HpkeMessage, sealTo } from './hpke.ts';

const base58check = createBase58check(sha256);

/** The compressed ephemeral key, then the ciphertext: Base58Check with a double SHA-256 checksum and no version byte. */
function encodeCredentialBundle({ encappedPublic, ciphertext }: HpkeMessage): string {
  return base58check.encode(Buffer.concat([compressed(encappedPublic), ciphertext]));
}

/** A new P-256 API key: its compressed public half, and its private half encrypted to the holder of the target key. */
export async function issueCredential(targetPublicKey: Uint8Array): Promise<{ publicKey: Uint8Array; credentialBundle: string }> {
  const privateKey = new Secret(generatePrivateKey(p256Keys));
  try {
    const publicKey = p256Keys.publicKey(privateKey.bytes);
    return { publicKey, credentialBundle: encodeCredentialBundle(await sealTo(targetPublicKey, privateKey.bytes)) };
  } finally {
    privateKey.wipe();
  }
}

/** A new P-256 API key. Its private half is in plain, as 64 hexadecimal digits. */
export function issueOneTimeKey(): { publicKey: Uint8Array; privateKeyHex: string } {
  const privateKey = new Secret(generatePrivateKey(p256Keys));
  try {
    return { publicKey: p256Keys.publicKey(privateKey.bytes), privateKeyHex: Buffer.from(privateKey.bytes).toString('hex') };
  } finally {
    privateKey.wipe();
  }
}
