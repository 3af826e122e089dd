import { createLocalJWKSet, type JSONWebKeySet, type LocalJWKSet } from 'jose';
import { z } from 'zod';
import type { TrustedIssuer } from '../../config/trusted-issuers.ts';
import { fetchJson } from './fetch-json.ts';
import { IssuerUnavailable } from './oidc-fault.ts';

/** How long a key set is taken as it is. */
export const KEY_SET_MAX_AGE_MS = 10 * 60_000;
/** An unknown key id has the set read again, but no more often than this. */
export const UNKNOWN_KEY_COOL_DOWN_MS = 30_000;
/** How long an issuer that failed is not asked again. */
export const FAILURE_COOL_DOWN_MS = 10_000;
/** Time for discovery and keys together. */
const READING_DEADLINE_MS = 5_000;
const MAX_BYTES = 262_144;

/** OpenID Connect Discovery 1.0 section 3, as far as it matters here. */
const discovery = z.object({ issuer: z.string(), jwks_uri: z.string() });
/** RFC 7517 section 5. */
const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string(), kid: z.string().exactOptional() })).max(100) });

interface Held {
  readonly keys: LocalJWKSet;
  readonly keyIds: ReadonlySet<string | undefined>;
  readonly readAtMs: number;
}

interface State {
  held?: Held;
  failedAtMs?: number;
  reading?: Promise<Held>;
}

/** What issuers sign with, found through discovery and kept for a while. */
export interface KeySets {
  /**
   * The keys of an issuer, among them the one with this id if the issuer publishes it. Asks the issuer only where what is held is too
   * old or lacks the key, and within the cool-downs; requests at the same time share one answer. Throws IssuerUnavailable.
   */
  keysFor(issuer: TrustedIssuer, keyId: string | undefined, nowMs: number): Promise<LocalJWKSet>;
}

/** `deadlineMs` bounds one reading of an issuer's keys, whatever the issuer does. */
export function createKeySets(deadlineMs = READING_DEADLINE_MS): KeySets {
  const states = new Map<string, State>();

  return {
    async keysFor(issuer, keyId, nowMs) {
      const state = states.get(issuer.issuer) ?? {};
      states.set(issuer.issuer, state);
      const { held } = state;
      const fresh = held !== undefined && isWithin(held.readAtMs, KEY_SET_MAX_AGE_MS, nowMs);
      const known = keyId === undefined || held?.keyIds.has(keyId) === true;
      // D23: made-up key ids must not become a storm of requests to the issuer.
      if (fresh && (known || isWithin(held.readAtMs, UNKNOWN_KEY_COOL_DOWN_MS, nowMs))) return held.keys;
      return (await (state.reading ?? readAgain(state, issuer, nowMs))).keys;
    },
  };

  function readAgain(state: State, issuer: TrustedIssuer, nowMs: number): Promise<Held> {
    if (state.failedAtMs !== undefined && isWithin(state.failedAtMs, FAILURE_COOL_DOWN_MS, nowMs))
      throw new IssuerUnavailable(`${issuer.issuer} failed a moment ago and is not asked again yet`);
    state.reading = readKeySet(issuer, AbortSignal.timeout(deadlineMs))
      .then((set) => {
        delete state.failedAtMs;
        const keyIds = new Set(set.keys.map(({ kid }) => kid));
        state.held = { keys: createLocalJWKSet(set), keyIds, readAtMs: nowMs };
        return state.held;
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

/** A time in the future is no reason to wait: the clock was set back. */
function isWithin(sinceMs: number, spanMs: number, nowMs: number): boolean {
  return sinceMs <= nowMs && nowMs < sinceMs + spanMs;
}

async function readKeySet(trusted: TrustedIssuer, signal: AbortSignal): Promise<JSONWebKeySet> {
  const { keysAt, allowPrivateAddress } = await findKeySet(trusted, signal);
  const keys = keySet.safeParse(await fetchJson(keysAt, { allowPrivateAddress, maxBytes: MAX_BYTES, signal }));
  if (!keys.success) throw new IssuerUnavailable(`${keysAt.href} is no key set`);
  return keys.data;
}

/** Where the keys of an issuer are: where the operator says, or else where the issuer does. */
async function findKeySet(
  { issuer, jwksUri, allowPrivateAddress }: TrustedIssuer,
  signal: AbortSignal,
): Promise<{ readonly keysAt: URL; readonly allowPrivateAddress: boolean }> {
  if (jwksUri !== undefined) return { keysAt: new URL(jwksUri), allowPrivateAddress };
  // Section 4.1: a terminating slash goes before the well-known path is appended.
  const place = new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  const found = discovery.safeParse(await fetchJson(place, { allowPrivateAddress, maxBytes: MAX_BYTES, signal }));
  if (!found.success) throw new IssuerUnavailable(`${place.href} is no discovery document`);
  // Section 4.3: the document must speak for the very issuer that it was asked of.
  if (found.data.issuer !== issuer) throw new IssuerUnavailable(`${place.href} speaks for another issuer`);
  const keysAt = keysPlace(found.data.jwks_uri, place);
  return { keysAt, allowPrivateAddress: allowPrivateAddress && keysAt.origin === place.origin };
}

/** SECURITY: D24: the document may point to another host only over https, and then never to a private address. */
function keysPlace(text: string, place: URL): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && url.username === '' && url.password === '') {
    if (url.protocol === 'https:' || url.origin === place.origin) return url;
  }
  throw new IssuerUnavailable(`${place.href} names a jwks_uri that is neither https nor its own`);
}
