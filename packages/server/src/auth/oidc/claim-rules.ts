import type { TrustedIssuer } from '../../config/trusted-issuers.ts';
import type { IdTokenClaims } from './id-token.ts';
import { OidcFault } from './oidc-fault.ts';

/** How far the issuer's clock may be from this one. */
export const CLOCK_TOLERANCE_SECONDS = 60;

/** D25: one audience, and that one configured; a token for us and somebody else could have been handed on by them. Gives it. */
export function requireAudience({ aud, azp }: IdTokenClaims, { audiences, authorizedParties }: TrustedIssuer): string {
  const [audience, ...others] = typeof aud === 'string' ? [aud] : aud;
  if (audience === undefined || others.length > 0 || !audiences.includes(audience)) throw new OidcFault('WRONG_AUDIENCE');
  if (azp !== undefined && azp !== audience && !authorizedParties.includes(azp)) throw new OidcFault('WRONG_AUTHORIZED_PARTY');
  return audience;
}

/** D27: alive now, issued in the past, and for no longer than tokens of this issuer may live. */
export function requireTimely({ exp, iat, nbf = iat }: IdTokenClaims, { maxTokenSeconds }: TrustedIssuer, nowMs: number): void {
  const now = nowMs / 1000;
  if (exp + CLOCK_TOLERANCE_SECONDS <= now) throw new OidcFault('EXPIRED');
  if (Math.max(iat, nbf) - CLOCK_TOLERANCE_SECONDS > now) throw new OidcFault('NOT_YET_VALID');
  if (exp <= iat) throw new OidcFault('MALFORMED_CLAIMS');
  if (exp - iat > maxTokenSeconds) throw new OidcFault('LIVES_TOO_LONG');
}
