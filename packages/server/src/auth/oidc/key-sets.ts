import { createLocalJWKSet, type JSONWebKeySet, type LocalJWKSet } from 'jose';
import { z } from 'zod';
import type { TrustedIssuer } from '../../config/trusted-issuers.ts';
import { fetchJson } from './fetch-json.ts';
import { IssuerUnavailable } from './oidc-error.ts';

/** How long a key set stays fresh. */
export const KEY_SET_MAX_AGE_MS = 10 * 60_000;
/** An unknown key id causes another read of the set, at most once in this time. */
export const UNKNOWN_KEY_COOL_DOWN_MS = 30_000;
/** How long to wait before asking an issuer again after a failure. */
export const FAILURE_COOL_DOWN_MS = 10_000;
/** The time limit of discovery and keys together. */
const READING_DEADLINE_MS = 5_000;
const MAX_BYTES = 262_144;

/** OpenID Connect Discovery 1.0 section 3: the members that we use. */
const discovery = z.object({ issuer: z.string(), jwks_uri: z.string() });
/** RFC 7517 section 5. */
const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string(), kid: z.string().exactOptional() })).max(100) });

interface CachedKeys {
  readonly keys: LocalJWKSet;
  readonly keyIds: ReadonlySet<string | undefined>;
  readonly readAtMs: number;
}

interface State {
  cached?: CachedKeys;
  failedAtMs?: number;
  reading?: Promise<CachedKeys>;
}

/** The keys of issuers, found through discovery and cached for a while. */
export interface KeySets {
  /**
   * The keys of an issuer, including the key with this id if the issuer publishes it. Asks the issuer only if the cached keys are too old
   * or lack the key, and respects the cool-downs. Concurrent calls share one request. Throws IssuerUnavailable.
   */
  keysFor(issuer: TrustedIssuer, keyId: string | undefined, nowMs: number): Promise<LocalJWKSet>;
}

/** `deadlineMs` limits one read of an issuer's keys. */
export function createKeySets(deadlineMs = READING_DEADLINE_MS): KeySets {
  const states = new Map<string, State>();

  return {
    async keysFor(issuer, keyId, nowMs) {
      const state = states.get(issuer.issuer) ?? {};
      states.set(issuer.issuer, state);
      const { cached } = state;
      const fresh = cached !== undefined && isWithin(cached.readAtMs, KEY_SET_MAX_AGE_MS, nowMs);
      const known = keyId === undefined || cached?.keyIds.has(keyId) === true;
      // D23: invented key ids must not flood the issuer with requests.
      if (fresh && (known || isWithin(cached.readAtMs, UNKNOWN_KEY_COOL_DOWN_MS, nowMs))) return cached.keys;
      return (await (state.reading ?? readAgain(state, issuer, nowMs))).keys;
    },
  };

  function readAgain(state: State, issuer: TrustedIssuer, nowMs: number): Promise<CachedKeys> {
    if (state.failedAtMs !== undefined && isWithin(state.failedAtMs, FAILURE_COOL_DOWN_MS, nowMs))
      throw new IssuerUnavailable(`${issuer.issuer} failed recently and will be retried later`);
    state.reading = readKeySet(issuer, AbortSignal.timeout(deadlineMs))
      .then((set) => {
        delete state.failedAtMs;
        const keyIds = new Set(set.keys.map(({ kid }) => kid));
        state.cached = { keys: createLocalJWKSet(set), keyIds, readAtMs: nowMs };
        return state.cached;
      })
      .catch((error: unknown) => {
        state.failedAtMs = nowMs;
        throw error;
      })
      .finally(() => {
        delete state.reading;
      });
    return state.reading;
  }
}

/** If the time is in the future, the clock was set back: do not wait. */
function isWithin(sinceMs: number, spanMs: number, nowMs: number): boolean {
  return sinceMs <= nowMs && nowMs < sinceMs + spanMs;
}

async function readKeySet(trusted: TrustedIssuer, signal: AbortSignal): Promise<JSONWebKeySet> {
  const { keysAt, allowPrivateAddress } = await findKeySet(trusted, signal);
  const keys = keySet.safeParse(await fetchJson(keysAt, { allowPrivateAddress, maxBytes: MAX_BYTES, signal }));
  if (!keys.success) throw new IssuerUnavailable(`${keysAt.href} is not a key set`);
  return keys.data;
}

/** The address of an issuer's keys, named by the operator or else by the issuer. */
async function findKeySet(
  { issuer, jwksUri, allowPrivateAddress }: TrustedIssuer,
  signal: AbortSignal,
): Promise<{ readonly keysAt: URL; readonly allowPrivateAddress: boolean }> {
  if (jwksUri !== undefined) return { keysAt: new URL(jwksUri), allowPrivateAddress };
  // Section 4.1: remove a trailing slash before appending the well-known path.
  const place = new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  const found = discovery.safeParse(await fetchJson(place, { allowPrivateAddress, maxBytes: MAX_BYTES, signal }));
  if (!found.success) throw new IssuerUnavailable(`${place.href} is not a discovery document`);
  // Section 4.3: the document must name the issuer that was asked.
  if (found.data.issuer !== issuer) throw new IssuerUnavailable(`${place.href} is the document of another issuer`);
  const keysAt = keysPlace(found.data.jwks_uri, place);
  return { keysAt, allowPrivateAddress: allowPrivateAddress && keysAt.origin === place.origin };
}

/** SECURITY: D24: the document may point to another host over https only, and never to a private address there. */
function keysPlace(text: string, place: URL): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && url.username === '' && url.password === '') {
    if (url.protocol === 'https:' || url.origin === place.origin) return url;
  }
  throw new IssuerUnavailable(`${place.href} contains a jwks_uri that is neither https nor on the host of the issuer`);
}
