import { createHash } from 'node:crypto';
import { z } from 'zod';
import { fromStrictBase64Url } from '../strict-text.ts';
import { OidcFault } from './oidc-fault.ts';

/** RFC 7518 and RFC 8037 names of the signatures that are taken: public-key ones alone, so that no published key can serve as a secret. */
export const idTokenAlgorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;

/** RFC 7515 section 4: parameters that bring a key along, change what is signed, or must be understood. */
const forbiddenHeaders = ['crit', 'jku', 'jwk', 'x5u', 'x5c', 'b64', 'zip', 'enc'];

const header = z.looseObject({ alg: z.string(), kid: z.string().min(1).max(512).optional(), typ: z.string().optional() });

/** NumericDate of RFC 7519, whole or not; the bound keeps arithmetic exact. */
const time = z.number().min(0).max(1e11);
const text = z.string().min(1);

/** OpenID Connect Core 1.0 section 2: what an ID token must say. `sub` has at most 255 ASCII characters. */
const claims = z.looseObject({
  iss: text.max(512),
  sub: z.string().regex(/^[\x20-\x7e]{1,255}$/),
  aud: z.union([text, z.array(text).min(1)]),
  azp: text.optional(),
  exp: time,
  iat: time,
  nbf: time.optional(),
  nonce: z.string().max(1024).optional(),
  // Section 5.1. Issuers differ in how they write these two; what is not in the standard's form counts as not said.
  email: z.string().max(254).optional().catch(undefined),
  email_verified: z.boolean().optional().catch(undefined),
});

export type IdTokenClaims = z.output<typeof claims>;

/** A token that was taken apart. Nothing it says is believed before its signature is checked. */
export interface UnverifiedIdToken {
  /** The three parts as they came. */
  readonly compact: string;
  readonly keyId: string | undefined;
  readonly claims: IdTokenClaims;
  /**
   * Hexadecimal SHA-256 of what is signed. INVARIANT: it names the token: no other text with a valid signature has the same content,
   * whereas the signature itself has more than one form (ECDSA: s and n - s).
   */
  readonly digest: string;
}

/**
 * Takes a token apart: a JWS in compact form, or the base64 of one.
 * D23: refuses algorithms that are not listed, and headers that bring keys. Throws OidcFault.
 */
export function readIdToken(given: string): UnverifiedIdToken {
  const compact = given.includes('.') ? given : Buffer.from(given, 'base64').toString('latin1');
  const parts = compact.split('.');
  const [headerText = '', payloadText = '', signatureText = ''] = parts;
  if (parts.length !== 3 || fromStrictBase64Url(signatureText) === undefined) throw new OidcFault('MALFORMED');
  const head = header.safeParse(readJson(headerText));
  if (!head.success) throw new OidcFault('MALFORMED');
  const { alg, kid, typ } = head.data;
  if (!(idTokenAlgorithms as readonly string[]).includes(alg)) throw new OidcFault('ALGORITHM_NOT_ALLOWED');
  if (forbiddenHeaders.some((name) => Object.hasOwn(head.data, name))) throw new OidcFault('FORBIDDEN_HEADER');
  // RFC 8725 section 3.11: access tokens (at+jwt) and others are signed with the same keys, and are no proof of who is there.
  if (typ !== undefined && typ.toUpperCase() !== 'JWT') throw new OidcFault('WRONG_TYPE');
  const body = claims.safeParse(readJson(payloadText));
  if (!body.success) throw new OidcFault('MALFORMED_CLAIMS');
  const digest = createHash('sha256').update(`${headerText}.${payloadText}`, 'ascii').digest('hex');
  return { compact, keyId: kid, claims: body.data, digest };
}

function readJson(part: string): unknown {
  const bytes = fromStrictBase64Url(part);
  if (bytes === undefined) throw new OidcFault('MALFORMED');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new OidcFault('MALFORMED', { cause });
  }
}
