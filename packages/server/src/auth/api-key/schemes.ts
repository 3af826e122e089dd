import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { groupOrders, readDerSignature } from './der-signature.ts';
import { p256Check } from './p256-tables.ts';
import type { ApiKeyCurve } from './public-key.ts';
import { secp256k1Engine } from './secp256k1-engine.ts';

/** Checks signatures of one key over raw bodies. Returns false for a bad signature, and never throws for one. */
export type Verifier = (body: Uint8Array, signature: Uint8Array) => boolean;

/** One way to stamp a body with an API key. */
export interface Scheme {
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
        keccak_256(Buffer.concat([Buffer.from(`${ETHEREUM_PREFIX}${body.length}`), body])),
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
