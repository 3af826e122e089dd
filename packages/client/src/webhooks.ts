import { ed25519 } from '@noble/curves/ed25519.js';
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { fromBase64url } from './base64url.ts';
import { CountersignError } from './errors.ts';

/** The service's webhook keys, as returned by `/public/v1/discovery/webhooks/jwks`. */
export interface WebhookKeySet {
  readonly keys: readonly { readonly kid: string; readonly x: string }[];
}

export interface WebhookDelivery {
  /** By lower-case name, as in Node and `Object.fromEntries(request.headers)`. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The raw body, before parsing. */
  readonly body: string;
}

export interface VerifyWebhookOptions {
  readonly keySet: WebhookKeySet;
  /** Maximum age of a delivery. Five minutes by default. */
  readonly toleranceMs?: number;
  readonly nowMs?: number;
}

/** A verified delivery. Store its id while deliveries of its age are accepted: a repeated id is a replay. */
export interface WebhookEvent {
  readonly id: string;
  readonly organizationId: string;
  readonly sentAtMs: number;
  readonly payload: unknown;
}

const TOLERANCE_MS = 300_000;

/** Fetches the webhook keys of a service. Cache them: they change only with the installation's root key. */
export async function fetchWebhookKeys(baseUrl: string, fetcher: typeof fetch = fetch): Promise<WebhookKeySet> {
  const url = `${baseUrl.replace(/\/+$/, '')}/public/v1/discovery/webhooks/jwks`;
  const response = await fetcher(url, { redirect: 'error' });
  if (!response.ok) throw new CountersignError(response.status, 'RESPONSE_INVALID', `${url} answered ${response.status}.`);
  return (await response.json()) as WebhookKeySet;
}

/**
 * Checks that the service sent this body, and when. Throws CountersignError `WEBHOOK_INVALID` otherwise.
 * SECURITY: the body is not parsed before its signature is verified.
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
  if (!known) throw invalid('this version does not know its signature scheme');
  const key = keySet.keys.find(({ kid }) => kid === keyId);
  if (key === undefined) throw invalid('the key that signed it is not one of the service. Fetch the keys again');
  if (!/^\d{1,15}$/.test(timestamp)) throw invalid('its time is not a number');
  const signed = utf8ToBytes(`v1.ed25519.${keyId}.${timestamp}.${id}.${body}`);
  if (!holds(header('signature'), signed, key.x)) throw invalid('its signature is invalid');
  if (Math.abs(nowMs - Number(timestamp)) > toleranceMs) throw invalid('it is too old, or one of the clocks is wrong');
  return { id, organizationId: header('organization-id'), sentAtMs: Number(timestamp), payload: JSON.parse(body) };
}

function holds(signature: string, message: Uint8Array, publicKey: string): boolean {
  try {
    return ed25519.verify(hexToBytes(signature), message, fromBase64url(publicKey), { zip215: false });
  } catch {
    // Not a valid signature or key.
    return false;
  }
}

function invalid(why: string): CountersignError {
  return new CountersignError(0, 'WEBHOOK_INVALID', `The delivery is not valid: ${why}.`);
}
