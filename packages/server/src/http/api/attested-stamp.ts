import { verify } from 'node:crypto';
import { ServiceError } from '@countersign/contract';
import { readStrictJson } from '@countersign/strict-json';
import { publicKeyName } from '../../auth/api-key/public-key.ts';
import { p256Key } from '../../auth/otp/p256-key.ts';
import { fromStrictBase64Url, fromStrictHex } from '../../auth/strict-text.ts';

/** A stamp by a key that a token names: a proof of a contact, or of an identity at an issuer. */
export interface AttestedStamp {
  readonly kind: 'CONTACT' | 'IDENTITY';
  /** The verification token, or the token of an issuer. */
  readonly token: string;
  /** Compressed, in hexadecimal. */
  readonly publicKey: string;
  /** DER, in hexadecimal. */
  readonly signature: string;
}

const kinds = {
  STAMP_ATTESTED_SCHEME_P256_VERIFICATION_TOKEN: 'CONTACT',
  STAMP_ATTESTED_SCHEME_P256_OIDC: 'IDENTITY',
} as const;

const MAX_LENGTH = 12_288;
const NAMES = ['publicKey', 'publicKeyAttestation', 'scheme', 'signature'];
const LIMITS = Object.freeze({ depth: 1, values: 8, names: 8 });

/** Reads an attested stamp and verifies its signature over the body. The token itself is not verified. */
export function readAttestedStamp(header: string | readonly string[] | undefined, body: Uint8Array): AttestedStamp {
  const stamp = typeof header === 'string' && header.length <= MAX_LENGTH ? parse(header) : undefined;
  if (stamp === undefined) {
    throw new ServiceError(
      'STAMP_MALFORMED',
      'malformed activity stamp: could not extract attested stamp. Send one X-Stamp-Attested header: base64url of {"publicKeyAttestation","scheme","publicKey","signature"}.',
    );
  }
  if (!isSigned(stamp, body)) throw new ServiceError('SIGNATURE_INVALID', 'could not verify the attested stamp over this body.');
  return stamp;
}

function parse(header: string): AttestedStamp | undefined {
  const json = fromStrictBase64Url(header);
  if (json === undefined) return undefined;
  let value: unknown;
  try {
    value = readStrictJson(json, LIMITS);
  } catch {
    // Not strict JSON: malformed, as reported by the caller.
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  const isExact = Object.keys(fields).length === NAMES.length && NAMES.every((name) => typeof fields[name] === 'string');
  if (!isExact) return undefined;
  const { publicKeyAttestation: token, scheme, publicKey, signature } = fields as Record<string, string>;
  const kind = Object.hasOwn(kinds, scheme ?? '') ? kinds[scheme as keyof typeof kinds] : undefined;
  const key = publicKeyName(publicKey ?? '', 'API_KEY_CURVE_P256');
  if (kind === undefined || key === undefined || token === undefined || signature === undefined) return undefined;
  return fromStrictHex(signature) === undefined ? undefined : { kind, token, publicKey: key, signature };
}

function isSigned({ publicKey, signature }: AttestedStamp, body: Uint8Array): boolean {
  try {
    const key = p256Key(publicKey);
    return verify('sha256', body, { key, dsaEncoding: 'der' }, Buffer.from(signature, 'hex'));
  } catch {
    // The key is not a point of the curve.
    return false;
  }
}
