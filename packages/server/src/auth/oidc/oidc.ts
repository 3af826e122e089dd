import { compactVerify, errors, type LocalJWKSet } from 'jose';
import type { TrustedIssuer } from '../../config/trusted-issuers.ts';
import { CLOCK_TOLERANCE_SECONDS, requireAudience, requireTimely } from './claim-rules.ts';
import { idTokenAlgorithms, readIdToken } from './id-token.ts';
import type { KeySets } from './key-sets.ts';
import { OidcError } from './oidc-error.ts';

/** The person in a token. Only this triple identifies a person: an e-mail address in a token does not. */
export interface OidcIdentity {
  readonly issuer: string;
  readonly audience: string;
  readonly subject: string;
}

/** A token that passed every check. */
export interface VerifiedIdToken extends OidcIdentity {
  readonly nonce: string | undefined;
  /** The person's e-mail address, if the issuer says that it verified it. It does not identify the person; see `OidcIdentity`. */
  readonly verifiedEmail: string | undefined;
  /** Identifies the token by its signed part. */
  readonly digest: string;
  /** The time from which this token is rejected, tolerance included. */
  readonly deadAtMs: number;
}

/** The tokens that this server issues itself. */
export interface OwnTokens {
  /** False if it issues none. */
  readonly offered: boolean;
  readonly maxTokenSeconds: number;
  isIssuer(issuer: string): boolean;
  /** Whether this server signed a token. */
  isSigned(compact: string): boolean;
}

/** Checks tokens of trusted issuers, and those that this server issued itself. */
export interface Oidc {
  /** False if no issuer is configured. Then every token is rejected. */
  readonly offered: boolean;
  /** Whether tokens of this issuer for this audience can be accepted. Makes no request. */
  trusts(identity: Pick<OidcIdentity, 'issuer' | 'audience'>): boolean;
  /**
   * Checks a token. Throws OidcError if the token is invalid, IssuerUnavailable if the issuer's keys cannot be loaded.
   * Does not check the nonce or earlier use: the caller that acts on the token must.
   */
  verify(token: string, nowMs: number): Promise<VerifiedIdToken>;
}

/**
 * SECURITY: D24: `iss` must equal the name of a configured issuer. For any other, no request leaves this machine. Every check that the
 * token alone allows comes before the issuer is asked for keys.
 */
export function createOidc(issuers: readonly TrustedIssuer[], keySets: KeySets, own?: OwnTokens): Oidc {
  const trusted = new Map(issuers.map((issuer) => [issuer.issuer, issuer]));
  return {
    offered: trusted.size > 0 || own?.offered === true,
    trusts: ({ issuer, audience }) => trusted.get(issuer)?.audiences.includes(audience) === true,
    async verify(text, nowMs) {
      const { compact, keyId, claims, digest } = readIdToken(text);
      const isOwn = own?.isIssuer(claims.iss) === true;
      const issuer = isOwn ? ownIssuer(own, claims.aud) : trusted.get(claims.iss);
      if (issuer === undefined) throw new OidcError('UNKNOWN_ISSUER');
      const audience = requireAudience(claims, issuer);
      requireTimely(claims, issuer, nowMs);
      if (!('issuer' in issuer)) requireOwnSignature(own, compact);
      else await requireSignature(compact, await keySets.keysFor(issuer, keyId, nowMs));
      const deadAtMs = Math.ceil((claims.exp + CLOCK_TOLERANCE_SECONDS) * 1000);
      const { iss, sub, nonce, email, email_verified } = claims;
      const verifiedEmail = email_verified === true ? email : undefined;
      return { issuer: iss, audience, subject: sub, nonce, verifiedEmail, digest, deadAtMs };
    },
  };
}

/** Its tokens have one audience, the client that the organization registered. */
function ownIssuer({ maxTokenSeconds }: OwnTokens, aud: string | readonly string[]) {
  return { audiences: [aud].flat(), authorizedParties: [], maxTokenSeconds };
}

function requireOwnSignature(own: OwnTokens | undefined, compact: string): void {
  if (own?.isSigned(compact) !== true) throw new OidcError('BAD_SIGNATURE');
}

async function requireSignature(compact: string, keys: LocalJWKSet): Promise<void> {
  try {
    await compactVerify(compact, keys, { algorithms: [...idTokenAlgorithms] });
  } catch (cause) {
    const ambiguous = cause instanceof errors.JWKSNoMatchingKey || cause instanceof errors.JWKSMultipleMatchingKeys;
    // Any other failure (a key that is too short, of the wrong curve or malformed) also means that the signature did not verify.
    throw new OidcError(ambiguous ? 'UNKNOWN_KEY' : 'BAD_SIGNATURE', { cause });
  }
}
