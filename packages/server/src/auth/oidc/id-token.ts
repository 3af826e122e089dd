import { createHash } from 'node:crypto';
import { z } from 'zod';
import { fromStrictBase64Url } from '../strict-text.ts';
import { OidcError } from './oidc-error.ts';

/** The accepted algorithms (RFC 7518, RFC 8037). Public-key signatures only: a published key must not work as an HMAC secret. */
export const idTokenAlgorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;

/** RFC 7515 section 4: parameters that carry a key, change what is signed, or must be understood. */
const forbiddenHeaders = ['crit', 'jku', 'jwk', 'x5u', 'x5c', 'b64', 'zip', 'enc'];

const header = z.looseObject({ alg: z.string(), kid: z.string().min(1).max(512).optional(), typ: z.string().optional() });

/** NumericDate of RFC 7519, with or without a fraction. The bound keeps arithmetic exact. */
const time = z.number().min(0).max(1e11);
const text = z.string().min(1);

/** OpenID Connect Core 1.0 section 2: the claims of an ID token. `sub` has at most 255 ASCII characters. */
const claims = z.looseObject({
  iss: text.max(512),
  sub: z.string().regex(/^[\x20-\x7e]{1,255}$/),
  aud: z.union([text, z.array(text).min(1)]),
  azp: text.optional(),
  exp: time,
  iat: time,
  nbf: time.optional(),
  nonce: z.string().max(1024).optional(),
  // Section 5.1. Issuers write these two in different ways. A value that is not in the standard's form counts as absent.
  email: z.string().max(254).optional().catch(undefined),
  email_verified: z.boolean().optional().catch(undefined),
});

export type IdTokenClaims = z.output<typeof claims>;

/** A parsed token. Do not trust its content before its signature is checked. */
export interface UnverifiedIdToken {
  /** The three parts as received. */
  readonly compact: string;
  readonly keyId: string | undefined;
  readonly claims: IdTokenClaims;
  /**
   * Hexadecimal SHA-256 of the signed part. INVARIANT: it identifies the token. The whole text would not, because a signature has more
   * than one valid form (ECDSA: s and n - s).
   */
  readonly digest: string;
}

/**
 * Parses a token: a JWS in compact form, or the base64 of one.
 * D23: rejects unlisted algorithms, and headers that contain keys. Throws OidcError.
 */
export function readIdToken(given: string): UnverifiedIdToken {
  const compact = given.includes('.') ? given : Buffer.from(given, 'base64').toString('latin1');
  const parts = compact.split('.');
  const [headerText = '', payloadText = '', signatureText = ''] = parts;
  if (parts.length !== 3 || fromStrictBase64Url(signatureText) === undefined) throw new OidcError('MALFORMED');
  const head = header.safeParse(readJson(headerText));
  if (!head.success) throw new OidcError('MALFORMED');
  const { alg, kid, typ } = head.data;
  if (!(idTokenAlgorithms as readonly string[]).includes(alg)) throw new OidcError('ALGORITHM_NOT_ALLOWED');
  if (forbiddenHeaders.some((name) => Object.hasOwn(head.data, name))) throw new OidcError('FORBIDDEN_HEADER');
  // RFC 8725 section 3.11: the same keys sign access tokens (at+jwt) and others, which do not prove who is present.
  if (typ !== undefined && typ.toUpperCase() !== 'JWT') throw new OidcError('WRONG_TYPE');
  const body = claims.safeParse(readJson(payloadText));
  if (!body.success) throw new OidcError('MALFORMED_CLAIMS');
  const digest = createHash('sha256').update(`${headerText}.${payloadText}`, 'ascii').digest('hex');
  return { compact, keyId: kid, claims: body.data, digest };
}

function readJson(part: string): unknown {
  const bytes = fromStrictBase64Url(part);
  if (bytes === undefined) throw new OidcError('MALFORMED');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new OidcError('MALFORMED', { cause });
  }
}
