import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { base58 } from '@scure/base';

/**
 * The client's side of bundles, written from RFC 9180 and the documented layouts only. It shares no code with the service or with
 * the service's encryption library.
 */

const fromHex = (hex: string) => Buffer.from(hex, 'hex');

/** RFC 9180 sections 4 and 5 for suite 0x0010, 0x0001, 0x0002 in base mode, written out. */
const KEM_SUITE = Buffer.concat([Buffer.from('KEM'), fromHex('0010')]);
const HPKE_SUITE = Buffer.concat([Buffer.from('HPKE'), fromHex('001000010002')]);
const INFO = Buffer.from('turnkey_hpke');

const extract = (salt: Uint8Array, ikm: Uint8Array) => createHmac('sha256', salt).update(ikm).digest();

function expand(prk: Uint8Array, info: Uint8Array, length: number): Buffer {
  const blocks: Buffer[] = [];
  let previous: Buffer = Buffer.alloc(0);
  for (let counter = 1; Buffer.concat(blocks).length < length; counter++) {
    previous = createHmac('sha256', prk)
      .update(Buffer.concat([previous, info, Buffer.of(counter)]))
      .digest();
    blocks.push(previous);
  }
  return Buffer.concat(blocks).subarray(0, length);
}

const labeledExtract = (suite: Buffer, salt: Uint8Array, label: string, ikm: Uint8Array) =>
  extract(salt, Buffer.concat([Buffer.from('HPKE-v1'), suite, Buffer.from(label), ikm]));

function labeledExpand(suite: Buffer, prk: Uint8Array, label: string, info: Uint8Array, length: number): Buffer {
  const prefix = Buffer.alloc(2);
  prefix.writeUInt16BE(length);
  return expand(prk, Buffer.concat([prefix, Buffer.from('HPKE-v1'), suite, Buffer.from(label), info]), length);
}

/** Key and base nonce of the shared context. */
export function keySchedule(dh: Uint8Array, encapped: Uint8Array, receiver: Uint8Array, info: Uint8Array = INFO) {
  const none = Buffer.alloc(0);
  const eaePrk = labeledExtract(KEM_SUITE, none, 'eae_prk', dh);
  const shared = labeledExpand(KEM_SUITE, eaePrk, 'shared_secret', Buffer.concat([encapped, receiver]), 32);
  const pskIdHash = labeledExtract(HPKE_SUITE, none, 'psk_id_hash', none);
  const infoHash = labeledExtract(HPKE_SUITE, none, 'info_hash', info);
  const context = Buffer.concat([Buffer.of(0x00), pskIdHash, infoHash]);
  const secret = labeledExtract(HPKE_SUITE, shared, 'secret', none);
  return {
    key: labeledExpand(HPKE_SUITE, secret, 'key', context, 32),
    nonce: labeledExpand(HPKE_SUITE, secret, 'base_nonce', context, 12),
  };
}

const dhOf = (privateKey: Uint8Array, publicKey: Uint8Array) => p256.getSharedSecret(privateKey, publicKey, true).slice(1);

export interface KeyPair {
  readonly privateKey: Uint8Array;
  /** Uncompressed. */
  readonly publicKey: Uint8Array;
}

/** A client's P-256 key pair. */
export function newKeyPair(): KeyPair {
  const privateKey = p256.utils.randomSecretKey();
  return { privateKey, publicKey: p256.getPublicKey(privateKey, false) };
}

/** Encrypts to an uncompressed key. */
export function hpkeSeal(receiver: Uint8Array, plaintext: Uint8Array) {
  const ephemeral = newKeyPair();
  const { key, nonce } = keySchedule(dhOf(ephemeral.privateKey, receiver), ephemeral.publicKey, receiver);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.concat([ephemeral.publicKey, receiver]));
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
  return { encappedPublic: ephemeral.publicKey, ciphertext };
}

/** Opens a message to a key pair. Throws if the tag does not match. */
export function hpkeOpen({ privateKey, publicKey }: KeyPair, encappedPublic: Uint8Array, ciphertext: Uint8Array): Buffer {
  const { key, nonce } = keySchedule(dhOf(privateKey, encappedPublic), encappedPublic, publicKey);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce);
  decipher.setAAD(Buffer.concat([encappedPublic, publicKey]));
  decipher.setAuthTag(ciphertext.subarray(ciphertext.length - 16));
  return Buffer.concat([decipher.update(ciphertext.subarray(0, ciphertext.length - 16)), decipher.final()]);
}

/** The private key in a credential bundle. */
export function openCredentialBundle(bundle: string, target: KeyPair): Buffer {
  const bytes = base58.decode(bundle);
  const [payload, checksum] = [bytes.subarray(0, -4), bytes.subarray(-4)];
  const twice = createHash('sha256').update(createHash('sha256').update(payload).digest()).digest();
  if (Buffer.compare(twice.subarray(0, 4), checksum) !== 0) throw new Error('the checksum of the bundle does not fit');
  const encapped = p256.Point.fromBytes(payload.subarray(0, 33)).toBytes(false);
  return hpkeOpen(target, encapped, payload.subarray(33));
}

/** The data of a signed message. Its signature must verify with this key (uncompressed, hexadecimal). */
export function readSignedMessage(text: string, signerHex: string): Record<string, string> {
  const { version, data, dataSignature, enclaveQuorumPublic } = JSON.parse(text);
  if (version !== 'v1.0.0' || enclaveQuorumPublic !== signerHex) throw new Error('this was not signed by the expected key');
  const holds = p256.verify(fromHex(dataSignature), fromHex(data), fromHex(signerHex), { format: 'der', lowS: false });
  if (!holds) throw new Error('the signature does not hold');
  return JSON.parse(fromHex(data).toString('utf8'));
}

/** The content of an export bundle. */
export function openExportBundle(text: string, signerHex: string, organizationId: string, target: KeyPair): Buffer {
  const data = readSignedMessage(text, signerHex);
  if (data.organizationId !== organizationId) throw new Error('the bundle is of another organization');
  return hpkeOpen(target, fromHex(data.encappedPublic as string), fromHex(data.ciphertext as string));
}

/** Encrypts to the target in an import bundle for this user. */
export function sealImportBundle(
  text: string,
  signerHex: string,
  { organizationId, userId }: { organizationId: string; userId: string },
  plaintext: Uint8Array,
): string {
  const data = readSignedMessage(text, signerHex);
  if (data.organizationId !== organizationId || data.userId !== userId) throw new Error('the target is for somebody else');
  const { encappedPublic, ciphertext } = hpkeSeal(fromHex(data.targetPublic as string), plaintext);
  return JSON.stringify({
    encappedPublic: Buffer.from(encappedPublic).toString('hex'),
    ciphertext: ciphertext.toString('hex'),
  });
}
