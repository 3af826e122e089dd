import { compactVerify, errors, type LocalJWKSet } from 'jose';
import type { TrustedIssuer } from '../../config/trusted-issuers.ts';
import { CLOCK_TOLERANCE_SECONDS, requireAudience, requireTimely } from './claim-rules.ts';
import { idTokenAlgorithms, readIdToken } from './id-token.ts';
import type { KeySets } from './key-sets.ts';
import { OidcFault } from './oidc-fault.ts';

/** Who a token speaks of: nothing but this triple names the person. An e-mail address in a token names nobody. */
export interface OidcIdentity {
  readonly issuer: string;
  readonly audience: string;
  readonly subject: string;
}

/** A token that was believed. */
export interface VerifiedIdToken extends OidcIdentity {
  readonly nonce: string | undefined;
  /** The e-mail address of the person, where the issuer says that it verified it. It names nobody; see `OidcIdentity`. */
  readonly verifiedEmail: string | undefined;
  /** Names the token by what is signed in it. */
  readonly digest: string;
  /** From when on this token is refused in any case, tolerance included. */
  readonly deadAtMs: number;
}

/** Checks tokens of trusted issuers. */
export interface Oidc {
  /** False where no issuer is configured, and so no token can be believed. */
  readonly offered: boolean;
  /** Whether tokens of this issuer for this audience are believed at all. Asks nobody. */
  trusts(identity: Pick<OidcIdentity, 'issuer' | 'audience'>): boolean;
  /**
   * Believes a token or throws: OidcFault where the token is to blame, IssuerUnavailable where the issuer's keys cannot be had.
   * Neither nonce nor earlier use is looked at: those are for whoever acts on the token.
   */
  verify(token: string, nowMs: number): Promise<VerifiedIdToken>;
}

/**
 * SECURITY: D24: `iss` selects among configured issuers, letter for letter; for any other nothing leaves this machine. Everything that
 * the token itself can be refused for is looked at before its issuer is asked for keys.
 */
export function createOidc(issuers: readonly TrustedIssuer[], keySets: KeySets): Oidc {
  const trusted = new Map(issuers.map((issuer) => [issuer.issuer, issuer]));
  return {
    offered: trusted.size > 0,
    trusts: ({ issuer, audience }) => trusted.get(issuer)?.audiences.includes(audience) === true,
    async verify(text, nowMs) {
      const { compact, keyId, claims, digest } = readIdToken(text);
      const issuer = trusted.get(claims.iss);
      if (issuer === undefined) throw new OidcFault('UNKNOWN_ISSUER');
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
    // Whatever else went wrong (a key too short, of the wrong curve, not parsable), this signature was not found good.
    throw new OidcFault(ambiguous ? 'UNKNOWN_KEY' : 'BAD_SIGNATURE', { cause });
  }
}
