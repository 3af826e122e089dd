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

/** Checks tokens of trusted issuers. */
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
export function createOidc(issuers: readonly TrustedIssuer[], keySets: KeySets): Oidc {
  const trusted = new Map(issuers.map((issuer) => [issuer.issuer, issuer]));
  return {
    offered: trusted.size > 0,
    trusts: ({ issuer, audience }) => trusted.get(issuer)?.audiences.includes(audience) === true,
    async verify(text, nowMs) {
      const { compact, keyId, claims, digest } = readIdToken(text);
      const issuer = trusted.get(claims.iss);
      if (issuer === undefined) throw new OidcError('UNKNOWN_ISSUER');
      const audience = requireAudience(claims, issuer);
      requireTimely(claims, issuer, nowMs);
      await requireSignature(compact, await keySets.keysFor(issuer, keyId, nowMs));
      const deadAtMs = Math.ceil((claims.exp + CLOCK_TOLERANCE_SECONDS) * 1000);
      const { iss, sub, nonce, email, email_verified } = claims;
      const verifiedEmail = email_verified === true ? email : undefined;
      return { issuer: iss, audience, subject: sub, nonce, verifiedEmail, digest, deadAtMs };
    },
  };
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
