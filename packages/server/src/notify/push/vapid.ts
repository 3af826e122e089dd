import { LRUCache } from 'lru-cache';
import { lazyLru } from '../../admission/index.ts';
import type { VaultService } from '../../vault/vault.ts';

/** Returns the header that proves to a push service that the message is from the sender that the browser subscribed to. */
export type Vapid = (endpoint: URL, nowMs: number) => Promise<string>;

/** RFC 8292 section 2: at most 24 hours. */
const LIFETIME_MS = 12 * 3_600_000;
/** Tokens are reused: push services ask senders not to change them with every message. */
const RENEW_MS = 6 * 3_600_000;
const MOST_SERVICES = 1_000;

const base64url = (text: string) => Buffer.from(text, 'utf8').toString('base64url');

/** The public key in the format that browsers expect: an uncompressed point in base64url. */
export function applicationServerKey({ publicKeys }: Pick<VaultService, 'publicKeys'>): string {
  return Buffer.from(publicKeys.pushSender, 'hex').toString('base64url');
}

/**
 * Creates the Authorization header of RFC 8292: a token for one push service, signed with ES256 by the vault.
 * SECURITY: a token names the origin of its push service, so that the service cannot use it at another one. `contact` is an https or mailto
 * address for push services to contact the operator.
 */
export function createVapid(service: Pick<VaultService, 'attest' | 'publicKeys'>, contact: string | undefined): Vapid {
  const issued = new LRUCache<string, { readonly header: string; readonly atMs: number }>(lazyLru(MOST_SERVICES));
  return async ({ origin }, nowMs) => {
    const known = issued.get(origin);
    if (known !== undefined && nowMs >= known.atMs && nowMs - known.atMs < RENEW_MS) return known.header;
    const claims = { aud: origin, exp: Math.floor((nowMs + LIFETIME_MS) / 1000), ...(contact !== undefined && { sub: contact }) };
    const signed = `${base64url(JSON.stringify({ typ: 'JWT', alg: 'ES256' }))}.${base64url(JSON.stringify(claims))}`;
    const signature = await service.attest('pushSender', Buffer.from(signed, 'utf8'));
    const token = `${signed}.${Buffer.from(signature).toString('base64url')}`;
    const header = `vapid t=${token}, k=${applicationServerKey(service)}`;
    issued.set(origin, { header, atMs: nowMs });
    return header;
  };
}
