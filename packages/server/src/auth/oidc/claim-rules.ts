import type { TrustedIssuer } from '../../config/trusted-issuers.ts';
import type { IdTokenClaims } from './id-token.ts';
import { OidcError } from './oidc-error.ts';

/** How far the issuer's clock may differ from ours. */
export const CLOCK_TOLERANCE_SECONDS = 60;

/** D25: exactly one audience, and a configured one: another audience could have passed the token on. Returns the audience. */
export function requireAudience(
  { aud, azp }: IdTokenClaims,
  { audiences, authorizedParties }: Pick<TrustedIssuer, 'audiences' | 'authorizedParties'>,
): string {
  const [audience, ...others] = typeof aud === 'string' ? [aud] : aud;
  if (audience === undefined || others.length > 0 || !audiences.includes(audience)) throw new OidcError('WRONG_AUDIENCE');
  if (azp !== undefined && azp !== audience && !authorizedParties.includes(azp)) throw new OidcError('WRONG_AUTHORIZED_PARTY');
  return audience;
}

/** D27: issued in the past, not expired, and with a lifetime that this issuer's tokens may have. */
export function requireTimely(
  { exp, iat, nbf = iat }: IdTokenClaims,
  { maxTokenSeconds }: Pick<TrustedIssuer, 'maxTokenSeconds'>,
  nowMs: number,
): void {
  const now = nowMs / 1000;
  if (exp + CLOCK_TOLERANCE_SECONDS <= now) throw new OidcError('EXPIRED');
  if (Math.max(iat, nbf) - CLOCK_TOLERANCE_SECONDS > now) throw new OidcError('NOT_YET_VALID');
  if (exp <= iat) throw new OidcError('MALFORMED_CLAIMS');
  if (exp - iat > maxTokenSeconds) throw new OidcError('LIVES_TOO_LONG');
}
