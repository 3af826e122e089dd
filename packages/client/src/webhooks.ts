import { ed25519 } from '@noble/curves/ed25519.js';
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { fromBase64url } from './base64url.ts';
import { CountersignError } from './errors.ts';

/** The service's keys for events, as `/public/v1/discovery/webhooks/jwks` gives them. */
export interface WebhookKeySet {
  readonly keys: readonly { readonly kid: string; readonly x: string }[];
}

export interface WebhookDelivery {
  /** By lower-case name, as Node and `Object.fromEntries(request.headers)` give them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body as it arrived, before anything read it. */
  readonly body: string;
}

export interface VerifyWebhookOptions {
  readonly keySet: WebhookKeySet;
  /** How old a delivery may be. Five minutes by default. */
  readonly toleranceMs?: number;
  readonly nowMs?: number;
}

/** A delivery that the service made. Remember the id for as long as deliveries are accepted: the same one is a repetition. */
export interface WebhookEvent {
  readonly id: string;
  readonly organizationId: string;
  readonly sentAtMs: number;
  readonly payload: unknown;
}

const TOLERANCE_MS = 300_000;

/** Reads the keys of a service. Cache them: they change only with the installation's root key. */
export async function fetchWebhookKeys(baseUrl: string, fetcher: typeof fetch = fetch): Promise<WebhookKeySet> {
  const url = `${baseUrl.replace(/\/+$/, '')}/public/v1/discovery/webhooks/jwks`;
  const response = await fetcher(url, { redirect: 'error' });
  if (!response.ok) throw new CountersignError(response.status, 'RESPONSE_INVALID', `${url} answered ${response.status}.`);
  return (await response.json()) as WebhookKeySet;
}

/**
 * Checks that the service sent this body, and when. Throws CountersignError `WEBHOOK_INVALID` otherwise.
 * SECURITY: nothing of the body is parsed before its signature holds.
 */
export function verifyWebhook({ headers, body }: WebhookDelivery, options: VerifyWebhookOptions): WebhookEvent {
  const { keySet, toleranceMs = TOLERANCE_MS, nowMs = Date.now() } = options;
  const header = (name: string): string => {
    const value = headers[`x-turnkey-${name}`];
    if (typeof value !== 'string') throw invalid(`the header x-turnkey-${name} is missing or repeated`);
    return value;
  };
  const [keyId, timestamp, id] = [header('signature-key-id'), header('timestamp'), header('event-id')];
  const known = header('signature-version') === 'v1' && header('signature-algorithm') === 'ed25519';
  if (!known) throw invalid('it is signed in a way that this version does not know');
  const key = keySet.keys.find(({ kid }) => kid === keyId);
  if (key === undefined) throw invalid('the key that signed it is not one of the service. Fetch the keys again');
  if (!/^\d{1,15}$/.test(timestamp)) throw invalid('its time is not a number');
  const signed = utf8ToBytes(`v1.ed25519.${keyId}.${timestamp}.${id}.${body}`);
  if (!holds(header('signature'), signed, key.x)) throw invalid('its signature does not hold');
  if (Math.abs(nowMs - Number(timestamp)) > toleranceMs) throw invalid('it is too old, or one of the clocks is wrong');
  return { id, organizationId: header('organization-id'), sentAtMs: Number(timestamp), payload: JSON.parse(body) };
}

function holds(signature: string, message: Uint8Array, publicKey: string): boolean {
  try {
    return ed25519.verify(hexToBytes(signature), message, fromBase64url(publicKey), { zip215: false });
  } catch {
    // Text that is no signature or no key.
    return false;
  }
}

function invalid(why: string): CountersignError {
  return new CountersignError(0, 'WEBHOOK_INVALID', `The delivery is not valid: ${why}.`);
}
