import { createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto';
import { groupOrders, readDerSignature, type Verifier } from '../api-key/schemes.ts';
import { CredentialError } from '../credential-error.ts';
import { type CborMap, readCborMap } from './cbor.ts';

interface CoseAlgorithm {
  readonly name: 'ES256' | 'RS256';
  /** RFC 9052 section 7: labels and their required values. `toJwk` checks a value that is undefined here. */
  readonly labels: ReadonlyMap<number, number | undefined>;
  toJwk(key: CborMap): JsonWebKey | undefined;
  verifier(key: KeyObject): Verifier;
}

/** The kinds of public key that a passkey may have, by COSE algorithm identifier. */
export const coseAlgorithms: ReadonlyMap<number, CoseAlgorithm> = new Map([
  [
    // RFC 9053 sections 2.1 and 7.1.1: ECDSA with SHA-256, for passkeys on P-256 only (WebAuthn section 5.8.5).
    -7,
    {
      name: 'ES256',
      labels: new Map([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, undefined],
        [-3, undefined],
      ]),
      toJwk(key) {
        const x = toBytes(key, -2);
        const y = toBytes(key, -3);
        return x?.length === 32 && y?.length === 32 ? { kty: 'EC', crv: 'P-256', x: toText(x), y: toText(y) } : undefined;
      },
      verifier: (key) => (message, signature) =>
        readDerSignature(signature, groupOrders.P256) !== undefined && verify('sha256', message, key, signature),
    },
  ],
  [
    // RFC 8812 section 2 and RFC 8230 section 4: RSASSA-PKCS1-v1_5 with SHA-256.
    -257,
    {
      name: 'RS256',
      labels: new Map([
        [1, 3],
        [3, -257],
        [-1, undefined],
        [-2, undefined],
      ]),
      toJwk(key) {
        const n = toBytes(key, -1);
        const e = toBytes(key, -2);
        return n && e && isSoundRsaKey(n, e) ? { kty: 'RSA', n: toText(n), e: toText(e) } : undefined;
      },
      verifier: (key) => (message, signature) => verify('sha256', message, key, signature),
    },
  ],
]);

/**
 * A verifier for signatures of a credential public key in COSE form.
 * Throws a `CredentialError` if the algorithm is not allowed, a parameter does not belong to it, or the key is invalid.
 */
export function coseVerifier(cose: Uint8Array): Verifier {
  const map = readCborMap(cose);
  const algorithm = coseAlgorithms.get(map.get(3) as number);
  if (algorithm === undefined) throw new CredentialError('The passkey must use the algorithm ES256 or RS256.');
  const { labels } = algorithm;
  // WebAuthn section 6.5.1.1: a credential public key has exactly the required parameters.
  const isExact =
    map.size === labels.size &&
    [...labels].every(([label, value]) => map.has(label) && (value ?? map.get(label)) === map.get(label));
  const jwk = isExact ? algorithm.toJwk(map) : undefined;
  if (jwk === undefined) throw new CredentialError(`The public key of the passkey is not a well-formed ${algorithm.name} key.`);
  return algorithm.verifier(importJwk(jwk));
}

/** The compressed point of a P-256 key: a byte for the sign of y, and x. Undefined for other keys. */
export function compressedCoseKey(cose: Uint8Array): Uint8Array | undefined {
  const map = readCborMap(cose);
  const x = toBytes(map, -2);
  const y = toBytes(map, -3);
  return map.get(3) === -7 && x !== undefined && y !== undefined ? Uint8Array.of(isOdd(y) ? 3 : 2, ...x) : undefined;
}

function importJwk(jwk: JsonWebKey): KeyObject {
  try {
    // OpenSSL rejects coordinates outside the field and points off the curve.
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch (cause) {
    throw new CredentialError('The public key of the passkey is not a point of its curve.', { cause });
  }
}

/** 2,048 to 4,096 bits, odd, and an odd exponent above 2 of at most four bytes: the keys of real authenticators, and fast to verify. */
function isSoundRsaKey(n: Uint8Array, e: Uint8Array): boolean {
  const isSoundModulus = n.length >= 256 && n.length <= 512 && (n[0] as number) >= 0x80 && isOdd(n);
  return isSoundModulus && e.length >= 1 && e.length <= 4 && e[0] !== 0 && isOdd(e) && !(e.length === 1 && e[0] === 1);
}

function isOdd(number: Uint8Array): boolean {
  return ((number.at(-1) ?? 0) & 1) === 1;
}

function toBytes(map: CborMap, label: number): Uint8Array | undefined {
  const value = map.get(label);
  return value instanceof Uint8Array ? value : undefined;
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
