import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { idleLru, lazyLru, sweepIdle } from '../../admission/index.ts';
import { keccak256 } from '../keccak256.ts';
import { p256Check } from './p256-tables.ts';
import type { ApiKeyCurve } from './public-key.ts';
import { secp256k1Engine } from './secp256k1-engine.ts';

/** Checks signatures of one key over raw bodies. Returns false for a bad signature, and never throws for one. */
export type Verifier = (body: Uint8Array, signature: Uint8Array) => boolean;

/** One way to stamp a body with an API key. */
interface Scheme {
  readonly curve: ApiKeyCurve;
  /** The credential types that may use this scheme, the usual one first. */
  readonly credentialTypes: readonly [string, ...string[]];
  /** Creates a verifier for a canonical public key in hex. It costs about as much as two verifications: cache it. */
  prepare(publicKeyHex: string): Verifier;
}

// The DER before the key's bytes: RFC 5480 section 2 with the compressed point of section 2.2, and RFC 8410 section 4.
const P256_SPKI = Buffer.from('3039301306072a8648ce3d020106082a8648ce3d030107032200', 'hex');
const ED25519_SPKI = Buffer.from('302a300506032b6570032100', 'hex');

const ETHEREUM_PREFIX = '\x19Ethereum Signed Message:\n';

const SECP256K1_TYPES = ['CREDENTIAL_TYPE_API_KEY_SECP256K1'] as const;

/** Every scheme that a stamp may name. When a stamp names none, the first scheme that fits the credential's type applies. */
export const schemes = Object.freeze({
  SIGNATURE_SCHEME_TK_API_P256: {
    curve: 'API_KEY_CURVE_P256',
    credentialTypes: [
      'CREDENTIAL_TYPE_API_KEY_P256',
      'CREDENTIAL_TYPE_RPC_TOKEN',
      'CREDENTIAL_TYPE_RPC_CERTIFICATE',
      'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256',
      'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256',
      'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256',
      'CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256',
      'CREDENTIAL_TYPE_OAUTH_KEY_P256',
      'CREDENTIAL_TYPE_LOGIN',
    ],
    /** Over SHA-256 of the body. */
    prepare(publicKeyHex) {
      const key = importKey(P256_SPKI, publicKeyHex);
      const check = p256Check(Buffer.from(publicKeyHex, 'hex'), (body, signature) => verify('sha256', body, key, signature));
      return (body, signature) => {
        const compact = readDerSignature(signature, groupOrders.P256);
        return compact !== undefined && check(body, signature, compact);
      };
    },
  },
  SIGNATURE_SCHEME_TK_API_SECP256K1: {
    curve: 'API_KEY_CURVE_SECP256K1',
    credentialTypes: SECP256K1_TYPES,
    /** Over SHA-256 of the body. */
    prepare: (publicKeyHex) => secp256k1Verifier(publicKeyHex, (body) => hash('sha256', body, 'buffer')),
  },
  SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191: {
    curve: 'API_KEY_CURVE_SECP256K1',
    credentialTypes: SECP256K1_TYPES,
    /** Over Keccak-256 of the prefix, the length of the body in decimal, and the body (EIP-191 version 0x45). */
    prepare: (publicKeyHex) =>
      secp256k1Verifier(publicKeyHex, (body) =>
        keccak256(Buffer.concat([Buffer.from(`${ETHEREUM_PREFIX}${body.length}`), body])),
      ),
  },
  SIGNATURE_SCHEME_TK_API_ED25519: {
    curve: 'API_KEY_CURVE_ED25519',
    credentialTypes: ['CREDENTIAL_TYPE_API_KEY_ED25519'],
    /** Over the body itself. */
    prepare(publicKeyHex) {
      const key = importKey(ED25519_SPKI, publicKeyHex);
      // RFC 8032 section 5.1.7: OpenSSL rejects any length but 64 bytes, s >= L, and an R that is not canonical.
      return (body, signature) => verify(null, body, key, signature);
    },
  },
} as const satisfies Record<string, Scheme>);

/** The wire name of a scheme. */
export type SchemeId = keyof typeof schemes;

/** Whether a text is the wire name of a scheme. */
export function isSchemeId(text: string): text is SchemeId {
  return Object.hasOwn(schemes, text);
}

/** SECURITY: whether a stamp of this scheme may act for a credential of this type. The stamp's word alone never decides the scheme. */
export function schemeFits(scheme: SchemeId, credentialType: string): boolean {
  const { credentialTypes }: Scheme = schemes[scheme];
  return credentialTypes.includes(credentialType);
}

/** The scheme of a stamp that names none, for a credential of this type. Undefined if the type is not an API key's. */
export function schemeOf(credentialType: string): SchemeId | undefined {
  return (Object.keys(schemes) as SchemeId[]).find((scheme) => schemeFits(scheme, credentialType));
}

function importKey(prefix: Buffer, publicKeyHex: string): KeyObject {
  return createPublicKey({ key: Buffer.concat([prefix, Buffer.from(publicKeyHex, 'hex')]), format: 'der', type: 'spki' });
}

function secp256k1Verifier(publicKeyHex: string, digest: (body: Uint8Array) => Uint8Array): Verifier {
  const key = secp256k1Engine.prepare(Buffer.from(publicKeyHex, 'hex'));
  return (body, signature) => {
    const compact = readDerSignature(signature, groupOrders.SECP256K1);
    return compact !== undefined && secp256k1Engine.verify(compact, digest(body), key);
  };
}

/** The orders of the ECDSA groups, as 32 bytes (SEC 2, sections 2.4.1 and 2.4.2). */
export const groupOrders = {
  P256: Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex'),
  SECP256K1: Buffer.from('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 'hex'),
} as const;

/**
 * Reads `SEQUENCE { INTEGER r, INTEGER s }` in DER (X.690) as 64 bytes, r then s. Undefined for anything but the one canonical form:
 * long-form or padded lengths, negative or padded integers, bytes after the end, r or s outside [1, order - 1].
 */
export function readDerSignature(der: Uint8Array, order: Uint8Array): Uint8Array | undefined {
  // Two integers of at most 33 bytes fit into 70 bytes, so no length needs the long form.
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return undefined;
  // Allocated from Node's pool: a separate allocation costs more than the parsing, and every request has a stamp.
  const compact = Buffer.allocUnsafe(64);
  const sStart = readInteger(der, 2, compact, 0, order);
  if (sStart === undefined) return undefined;
  const end = readInteger(der, sStart, compact, 32, order);
  return end === der.length ? compact : undefined;
}

/** Writes the integer at `start` into 32 bytes of `target`, right-aligned. Returns its end. */
function readInteger(der: Uint8Array, start: number, target: Buffer, offset: number, order: Uint8Array): number | undefined {
  const length = der[start + 1];
  const first = der[start + 2];
  if (der[start] !== 0x02 || length === undefined || first === undefined) return undefined;
  const end = start + 2 + length;
  if (length === 0 || end > der.length || first >= 0x80) return undefined;
  // There is a leading zero exactly when the number would otherwise look negative.
  const isPadded = first === 0 && length > 1;
  if (isPadded && (der[start + 3] ?? 0) < 0x80) return undefined;
  const from = isPadded ? start + 3 : start + 2;
  const zeros = 32 - (end - from);
  if (zeros < 0) return undefined;
  let isZero = true;
  // The first byte that differs from the order's decides which number is smaller.
  let difference = 0;
  for (let at = 0; at < 32; at++) {
    const byte = at < zeros ? 0 : (der[from + at - zeros] as number);
    target[offset + at] = byte;
    if (byte !== 0) isZero = false;
    if (difference === 0) difference = byte - (order[at] as number);
  }
  return !isZero && difference < 0 ? end : undefined;
}

/** Caches the verifiers of credentials in use: preparing a key costs two to three times as much as a check. */
export class VerifierCache {
  private readonly verifiers: LRUCache<string, Verifier>;

  /** `capacity` counts keys, about 2 KB each. */
  constructor(capacity = 10_000) {
    this.verifiers = sweepIdle(new LRUCache({ ...lazyLru(capacity), ...idleLru }));
  }

  /** The number of cached keys. */
  get size(): number {
    return this.verifiers.size;
  }

  /**
   * Whether the signature over the message verifies for the key that `id` names. `prepare` creates the verifier if it is not cached.
   * SECURITY: a key is cached only after one of its signatures verified, and callers ask for registered keys only. So invented keys and
   * signatures evict nothing.
   * SECURITY: a refusal prepares the key once, cached or not. Callers prepare a key for unknown credentials too. So the time of a refusal
   * tells neither which credentials are registered nor which are in use.
   */
  verify(id: string, prepare: () => Verifier, message: Uint8Array, signature: Uint8Array): boolean {
    const held = this.verifiers.get(id);
    const verifier = held ?? prepare();
    const holds = verifier(message, signature);
    if (holds && held === undefined) this.verifiers.set(id, verifier);
    if (!holds && held !== undefined) prepare();
    return holds;
  }
}
