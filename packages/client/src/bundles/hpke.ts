import { p256 } from '@noble/curves/nist.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { AEAD_AES_256_GCM, CipherSuite, KDF_HKDF_SHA256, KEM_DHKEM_P256_HKDF_SHA256 } from 'hpke';
import { CountersignError } from '../errors.ts';

/** RFC 9180 in base mode, one message per context. All bundles use this suite. */
const suite = new CipherSuite(KEM_DHKEM_P256_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_AES_256_GCM);
const info = utf8ToBytes('turnkey_hpke');

/** A message and its uncompressed ephemeral public key. */
export interface HpkeMessage {
  readonly encappedPublic: Uint8Array;
  readonly ciphertext: Uint8Array;
}

/** Encrypts to an uncompressed P-256 key. Both public keys are authenticated. */
export async function sealTo(receiver: Uint8Array, plaintext: Uint8Array): Promise<HpkeMessage> {
  const publicKey = await suite.DeserializePublicKey(receiver);
  const { encapsulatedSecret: encappedPublic, ctx } = await suite.SetupSender(publicKey, { info });
  return { encappedPublic, ciphertext: await ctx.Seal(plaintext, concatBytes(encappedPublic, receiver)) };
}

/** Opens a message with the receiver's private key. Throws CountersignError `BUNDLE_INVALID` for a message to another key. */
export async function openWith(privateKey: Uint8Array, { encappedPublic, ciphertext }: HpkeMessage): Promise<Uint8Array> {
  const receiver = p256.getPublicKey(privateKey, false);
  const pair = {
    privateKey: await suite.DeserializePrivateKey(privateKey, false),
    publicKey: await suite.DeserializePublicKey(receiver),
  };
  try {
    return await suite.Open(pair, encappedPublic, ciphertext, { info, aad: concatBytes(encappedPublic, receiver) });
  } catch (cause) {
    throw invalidBundle('it was encrypted to another key, or altered', cause);
  }
}

/** The error for an invalid bundle. SECURITY: says why, and repeats nothing from the bundle. */
export function invalidBundle(why: string, cause?: unknown): CountersignError {
  return new CountersignError(0, 'BUNDLE_INVALID', `The bundle is not valid: ${why}.`, { cause });
}
