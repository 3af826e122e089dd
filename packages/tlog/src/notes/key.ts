import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { fromBase64, toBase64, utf8Bytes } from '../bytes.ts';
import { TlogError } from '../errors.ts';
import { isKeyName } from './note.ts';

/** The signature types of C2SP signed-note that this package knows: plain Ed25519, and the timestamped cosignature. */
export const SIGNATURE_TYPES = Object.freeze({ ed25519: 0x01, cosignature: 0x04 });

export type SignatureType = keyof typeof SIGNATURE_TYPES;

/** A public key with its name and its type. Two keys that differ in one of these three are two signers. */
export interface VerifierKey {
  readonly name: string;
  readonly type: SignatureType;
  /** 32 bytes, RFC 8032. */
  readonly publicKey: Uint8Array;
}

/** A private key with its name and its type. */
export interface SignerKey {
  readonly name: string;
  readonly type: SignatureType;
  /** The seed of RFC 8032, 32 bytes. Secret. */
  readonly seed: Uint8Array;
}

const ED25519_BYTES = 32;
const SIGNER_PREFIX = 'PRIVATE+KEY+';

/** SHA-256(name || 0x0A || signature type || public key)[:4] as a uint32 (C2SP signed-note, "Signatures"). */
export function keyId({ name, type, publicKey }: VerifierKey): number {
  const hash = sha256(concatBytes(utf8Bytes(`${name}\n`), Uint8Array.of(SIGNATURE_TYPES[type]), publicKey));
  return new DataView(hash.buffer, hash.byteOffset).getUint32(0);
}

/** The public half of a private key. */
export function verifierKeyOf({ name, type, seed }: SignerKey): VerifierKey {
  requireKey(name, seed);
  return { name, type, publicKey: ed25519.getPublicKey(seed) };
}

/** The key as text: name, key id in hex, base64 of type and public key, joined by plus signs. */
export function formatVerifierKey(key: VerifierKey): string {
  requireVerifierKey(key);
  return formatKey(key, key.publicKey);
}

/** The private key as text, in the form of Go's note package. Secret. */
export function formatSignerKey(key: SignerKey): string {
  return `${SIGNER_PREFIX}${formatKey(verifierKeyOf(key), key.seed)}`;
}

/** Reads what `formatVerifierKey` writes. Throws TlogError for anything else, also if the key id is not that of the key. */
export function parseVerifierKey(text: string): VerifierKey {
  const { name, type, id, material } = parseKey(text);
  const key: VerifierKey = { name, type, publicKey: material };
  requireVerifierKey(key);
  if (id !== hexKeyId(key)) throw new TlogError('the id in the verifier key is not that of the key');
  return key;
}

/**
 * Reads what `formatSignerKey` writes. Throws TlogError for anything else, also if the key id is not that of the key.
 * SECURITY: no message quotes the text.
 */
export function parseSignerKey(text: string): SignerKey {
  if (!text.startsWith(SIGNER_PREFIX)) throw new TlogError(`a signer key begins with ${SIGNER_PREFIX}`);
  const { name, type, id, material } = parseKey(text.slice(SIGNER_PREFIX.length));
  const key: SignerKey = { name, type, seed: material };
  if (id !== hexKeyId(verifierKeyOf(key))) throw new TlogError('the id in the signer key is not that of the key');
  return key;
}

/** Throws TlogError unless the key can verify anything. */
export function requireVerifierKey({ name, publicKey }: VerifierKey): void {
  requireKey(name, publicKey);
  let isWeak: boolean;
  try {
    isWeak = ed25519.Point.fromBytes(publicKey).isSmallOrder();
  } catch {
    // noble throws for nothing else than bytes that are not a canonical point.
    throw new TlogError('the public key is not a point of Ed25519');
  }
  // SECURITY: under a key of small order one signature can hold for many texts.
  if (isWeak) throw new TlogError('the public key is of small order');
}

function requireKey(name: string, material: Uint8Array): void {
  if (!isKeyName(name))
    throw new TlogError('the name of a key must not be empty or hold spaces, plus signs or control characters');
  if (material.length !== ED25519_BYTES) throw new TlogError(`an Ed25519 key has ${ED25519_BYTES} bytes`);
}

function formatKey(key: VerifierKey, material: Uint8Array): string {
  return `${key.name}+${hexKeyId(key)}+${toBase64(concatBytes(Uint8Array.of(SIGNATURE_TYPES[key.type]), material))}`;
}

function hexKeyId(key: VerifierKey): string {
  return keyId(key).toString(16).padStart(8, '0');
}

function parseKey(text: string): { name: string; type: SignatureType; id: string; material: Uint8Array } {
  // The base64 text may hold plus signs; the name and the id cannot.
  const [, name = '', id = '', base64 = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/s.exec(text) ?? [];
  const bytes = fromBase64(base64);
  const type = typeOf(bytes?.[0]);
  if (bytes === undefined || type === undefined) throw new TlogError('the key is not name+id+base64 of a known signature type');
  return { name, type, id, material: bytes.slice(1) };
}

function typeOf(byte: number | undefined): SignatureType | undefined {
  if (byte === SIGNATURE_TYPES.ed25519) return 'ed25519';
  return byte === SIGNATURE_TYPES.cosignature ? 'cosignature' : undefined;
}
