import { hash } from 'node:crypto';
import { isIP } from 'node:net';

/** Where the passkeys of an organization may be used. */
export interface RelyingParty {
  /** Exact origins such as `https://app.example.com`, or those of the relying party itself: its own host and the domains below it. */
  readonly allowedOrigins: readonly string[] | 'of-rp-id';
  /** Relying party ids such as `example.com`, or every id that the origin may claim: its own host and the domains above it. */
  readonly rpIds: readonly string[] | 'of-origin';
}

/**
 * Whether a passkey of this relying party may be used on this origin.
 * SECURITY: compares listed origins as whole texts. Another scheme, port, sub-domain, case or a trailing dot is another origin. There is
 * no pattern, prefix or normalisation that a look-alike could slip through. Without a list, every origin outside the relying party's
 * domain is rejected, even if the browser allowed it.
 */
export function isAllowedOrigin(origin: string, allowedOrigins: RelyingParty['allowedOrigins'], rpId: string): boolean {
  if (allowedOrigins !== 'of-rp-id') return allowedOrigins.includes(origin);
  const host = webHost(origin);
  return host !== undefined && (host === rpId || host.endsWith(`.${rpId}`));
}

/** The relying party id with this hash, out of authenticator data. Undefined unless the origin may use that id. */
export function matchRpId(rpIdHash: Uint8Array, origin: string, rpIds: RelyingParty['rpIds']): string | undefined {
  const candidates = rpIds === 'of-origin' ? rpIdsOf(origin) : rpIds;
  return candidates.find((rpId) => hash('sha256', rpId, 'buffer').equals(rpIdHash));
}

/** The host and every domain above it that has a dot: the registrable domain suffixes. There is no public suffix list here. */
function rpIdsOf(origin: string): readonly string[] {
  const host = webHost(origin);
  if (host === undefined) return [];
  const labels = host.split('.');
  const parents = labels.slice(1, -1).map((_, index) => labels.slice(index + 1).join('.'));
  return [host, ...parents];
}

/** The host of an origin on which browsers offer passkeys: https, or http on localhost. Undefined unless the text is in canonical form. */
function webHost(origin: string): string | undefined {
  if (!URL.canParse(origin)) return undefined;
  const url = new URL(origin);
  // WebAuthn section 5.1.3 requires a domain: an IP address is not one, and a trailing dot would be a second name of the same domain.
  if (url.origin !== origin || isIP(url.hostname) !== 0 || /[.\]]$/.test(url.hostname)) return undefined;
  const isLocal = url.hostname === 'localhost' || url.hostname.endsWith('.localhost');
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLocal) ? url.hostname : undefined;
}
