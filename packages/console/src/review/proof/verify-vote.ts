import type { ListedActivity } from '@countersign/client';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { passkeyDomain } from '../../session/api.ts';

type Stamp = Pick<ListedActivity['votes'][number], 'message' | 'publicKey' | 'signature' | 'scheme'>;

const der = { format: 'der', prehash: false, lowS: false } as const;

/** Whether a vote is stamped by its public key, by scheme. */
const schemes: Readonly<Record<string, (vote: Stamp) => boolean>> = {
  SIGNATURE_SCHEME_TK_API_P256: ({ message, publicKey, signature }) =>
    p256.verify(hexToBytes(signature), sha256(utf8ToBytes(message)), hexToBytes(publicKey), der),
  SIGNATURE_SCHEME_TK_API_SECP256K1: ({ message, publicKey, signature }) =>
    secp256k1.verify(hexToBytes(signature), sha256(utf8ToBytes(message)), hexToBytes(publicKey), der),
  SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191({ message, publicKey, signature }) {
    const bytes = utf8ToBytes(message);
    const prefixed = concatBytes(utf8ToBytes(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes);
    return secp256k1.verify(hexToBytes(signature), keccak_256(prefixed), hexToBytes(publicKey), der);
  },
  SIGNATURE_SCHEME_TK_API_ED25519: ({ message, publicKey, signature }) =>
    ed25519.verify(hexToBytes(signature), utf8ToBytes(message), hexToBytes(publicKey), { zip215: false }),
  SIGNATURE_SCHEME_TK_WEBAUTHN: isStampedByPasskey,
};

/** Checks the stamp of a vote over its message. False for a stamp that this browser cannot read. */
export function isStampValid(vote: Stamp): boolean {
  const verify = Object.hasOwn(schemes, vote.scheme) ? schemes[vote.scheme] : undefined;
  try {
    return verify?.(vote) ?? false;
  } catch {
    // The bytes are no key or no signature.
    return false;
  }
}

const fromBase64Url = (text: string) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
const toBase64Url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const USER_PRESENT = 0x01;

/** WebAuthn section 7.2: the passkey of this site signed the hash of the message, and its user was present. */
function isStampedByPasskey({ message, publicKey, signature: stamp }: Stamp): boolean {
  const parts = JSON.parse(new TextDecoder().decode(fromBase64Url(stamp))) as Record<string, string>;
  const authenticatorData = fromBase64Url(parts.authenticatorData ?? '');
  const clientDataJson = fromBase64Url(parts.clientDataJson ?? '');
  const { type, challenge } = JSON.parse(new TextDecoder().decode(clientDataJson)) as { type?: string; challenge?: string };
  const digest = bytesToHex(sha256(utf8ToBytes(message)));
  const isFor =
    type === 'webauthn.get' &&
    challenge === toBase64Url(utf8ToBytes(digest)) &&
    bytesToHex(authenticatorData.subarray(0, 32)) === bytesToHex(sha256(utf8ToBytes(passkeyDomain()))) &&
    ((authenticatorData[32] ?? 0) & USER_PRESENT) !== 0;
  const signed = sha256(concatBytes(authenticatorData, sha256(clientDataJson)));
  return isFor && p256.verify(fromBase64Url(parts.signature ?? ''), signed, ecKeyOf(publicKey), der);
}

// RFC 9052 section 7 in the canonical form of CTAP2: kty 2, alg -7, crv 1, then x and y.
const ES256 = /^a5010203262001215820([0-9a-f]{64})225820([0-9a-f]{64})$/;

/** The point of a passkey, from its COSE key or its compressed form. */
function ecKeyOf(publicKey: string): Uint8Array {
  const hex = /^[0-9a-f]+$/.test(publicKey) ? publicKey : bytesToHex(fromBase64Url(publicKey));
  const [, x, y] = ES256.exec(hex) ?? [];
  return hexToBytes(x === undefined || y === undefined ? hex : `04${x}${y}`);
}

/** Whether two texts are the same public key. Those of passkeys have several forms. */
export function isSameKey(one: string, other: string): boolean {
  try {
    return one === other || bytesToHex(pointOf(one)) === bytesToHex(pointOf(other));
  } catch {
    // Not the key of a passkey.
    return false;
  }
}

const pointOf = (publicKey: string) => p256.Point.fromBytes(ecKeyOf(publicKey)).toBytes();
