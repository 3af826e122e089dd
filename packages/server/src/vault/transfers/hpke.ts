import {
  AEAD_AES_256_GCM,
  CipherSuite,
  DecapError,
  DeserializeError,
  KDF_HKDF_SHA256,
  KEM_DHKEM_P256_HKDF_SHA256,
  OpenError,
} from 'hpke';
import { Secret } from '../keys/secret.ts';

/** RFC 9180: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM (0x0010, 0x0001, 0x0002), in base mode. */
export const hpkeSuite = new CipherSuite(KEM_DHKEM_P256_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_AES_256_GCM);

/** The `info` that existing clients use. */
const INFO = Buffer.from('turnkey_hpke', 'ascii');

/** The length of an uncompressed key. */
const PUBLIC_KEY_BYTES = 65;

/** One message, encrypted to one key. */
export interface HpkeMessage {
  /** The sender's ephemeral public key, uncompressed: 65 bytes. */
  readonly encappedPublic: Uint8Array;
  /** AES-GCM output with its 16-byte tag at the end. */
  readonly ciphertext: Uint8Array;
}

/** SECURITY: both public keys are authenticated, so that neither can be replaced by another key with the same secret. */
function associatedData(encappedPublic: Uint8Array, receiverPublic: Uint8Array): Uint8Array {
  return Buffer.concat([encappedPublic, receiverPublic]);
}

/**
 * Encrypts to an uncompressed P-256 public key. Every call creates an ephemeral key and a context for one message.
 * Throws for bytes that are not a point of the curve.
 */
export async function sealTo(receiverPublic: Uint8Array, plaintext: Uint8Array): Promise<HpkeMessage> {
  const receiver = await hpkeSuite.DeserializePublicKey(receiverPublic);
  const { encapsulatedSecret: encappedPublic, ctx } = await hpkeSuite.SetupSender(receiver, { info: INFO });
  return { encappedPublic, ciphertext: await ctx.Seal(plaintext, associatedData(encappedPublic, receiverPublic)) };
}

/**
 * Opens a message to the key pair. Undefined if the message was encrypted to another key or altered.
 * SECURITY: WebCrypto copies the private key, which JavaScript cannot wipe. No reference to it outlives the call.
 */
export async function openWith(
  privateKey: Secret,
  receiverPublic: Uint8Array,
  { encappedPublic, ciphertext }: HpkeMessage,
): Promise<Secret | undefined> {
  if (encappedPublic.length !== PUBLIC_KEY_BYTES) return undefined;
  const pair = {
    privateKey: await hpkeSuite.DeserializePrivateKey(privateKey.bytes, false),
    publicKey: await hpkeSuite.DeserializePublicKey(receiverPublic),
  };
  try {
    const aad = associatedData(encappedPublic, receiverPublic);
    return new Secret(await hpkeSuite.Open(pair, encappedPublic, ciphertext, { info: INFO, aad }));
  } catch (error) {
    if (error instanceof OpenError || error instanceof DecapError || error instanceof DeserializeError) return undefined;
    throw error;
  }
}
