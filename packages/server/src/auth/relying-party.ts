import { hash } from 'node:crypto';
import { isIP } from 'node:net';

/** Where passkeys of an organization may be used. */
export interface RelyingParty {
  /** Exact origins, such as `https://app.example.com`; or any that a browser allows passkeys on. */
  readonly allowedOrigins: readonly string[] | 'any';
  /** Relying party ids, such as `example.com`; or whatever the origin may claim: its own host and the domains above it. */
  readonly rpIds: readonly string[] | 'of-origin';
}

/**
 * Whether a passkey may be used on this origin.
 * SECURITY: origins are compared as whole texts. Scheme, port, sub-domain, case and a trailing dot all make another origin, and no
 * pattern, prefix or normalisation is involved that a look-alike could slip through.
 */
export function isAllowedOrigin(origin: string, allowedOrigins: RelyingParty['allowedOrigins']): boolean {
  return allowedOrigins === 'any' ? webHost(origin) !== undefined : allowedOrigins.includes(origin);
}

/** The relying party id behind a hash from authenticator data, or undefined if it is none of those that the origin may use. */
export function matchRpId(rpIdHash: Uint8Array, origin: string, rpIds: RelyingParty['rpIds']): string | undefined {
  const candidates = rpIds === 'of-origin' ? rpIdsOf(origin) : rpIds;
  return candidates.find((rpId) => hash('sha256', rpId, 'buffer').equals(rpIdHash));
}

/** The host itself and every domain above it that has a dot: a registrable domain suffix, as far as can be told without a list. */
function rpIdsOf(origin: string): readonly string[] {
  const host = webHost(origin);
  if (host === undefined) return [];
  const labels = host.split('.');
  const parents = labels.slice(1, -1).map((_, index) => labels.slice(index + 1).join('.'));
  return [host, ...parents];
}

/** The host of an origin on which browsers offer passkeys: https, or http on localhost. Undefined for a text in any but its canonical form. */
function webHost(origin: string): string | undefined {
  if (!URL.canParse(origin)) return undefined;
  const url = new URL(origin);
  // WebAuthn section 5.1.3 wants a domain: an address is none, and a trailing dot would make a second name for the same one.
  if (url.origin !== origin || isIP(url.hostname) !== 0 || /[.\]]$/.test(url.hostname)) return undefined;
  const isLocal = url.hostname === 'localhost' || url.hostname.endsWith('.localhost');
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLocal) ? url.hostname : undefined;
}
