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
export function verifyWebhook(delivery: WebhookDelivery, options: VerifyWebhookOptions): WebhookEvent {
  const header = headerReader(delivery, 'x-turnkey-');
  const [keyId, timestamp, id] = [header('signature-key-id'), header('timestamp'), header('event-id')];
  const known = header('signature-version') === 'v1' && header('signature-algorithm') === 'ed25519';
  if (!known) throw invalid('this version does not know its signature scheme');
  const prefix = `v1.ed25519.${keyId}.${timestamp}.${id}.`;
  requireSigned({ keyId, timestamp, signature: header('signature'), text: prefix + delivery.body }, options);
  return { id, organizationId: header('organization-id'), sentAtMs: Number(timestamp), payload: JSON.parse(delivery.body) };
}

/** One event of a batch. */
export interface WebhookBatchEvent extends Omit<WebhookEvent, 'sentAtMs'> {
  /** Its number in the stream. The next event has the next number. */
  readonly sequence: number;
}

/** A verified batch. */
export interface WebhookBatch {
  readonly endpointId: string;
  /** The organization of the endpoint. Events may be of its sub-organizations. */
  readonly organizationId: string;
  /** Numbers are those of this stream. A new stream begins at 1, for example after the service was restored from a backup. */
  readonly streamId: string;
  readonly sentAtMs: number;
  /** How many events the endpoint has lost so far. If it grows, read what is missing with `activityEvents`. */
  readonly droppedEvents: number;
  readonly events: readonly WebhookBatchEvent[];
}

export interface VerifyBatchOptions extends VerifyWebhookOptions {
  /** The id of your endpoint. SECURITY: the service signs the batches of all endpoints with one key. */
  readonly endpointId: string;
}

/**
 * Checks that the service sent this batch, when, and to this endpoint. Throws CountersignError `WEBHOOK_INVALID` otherwise. Skip events
 * with numbers that you have: the same batch may arrive twice. A number that is missing is an event that was lost, or one that is still
 * on its way if the endpoint is pipelined.
 * SECURITY: the body is not parsed before its signature is verified.
 */
export function verifyWebhookBatch(delivery: WebhookDelivery, options: VerifyBatchOptions): WebhookBatch {
  const header = headerReader(delivery, 'x-countersign-');
  const [keyId, timestamp, scheme] = [header('signature-key-id'), header('timestamp'), header('signature-scheme')];
  if (scheme !== BATCH_SCHEME || header('signature-algorithm') !== 'ed25519')
    throw invalid('this version does not know its signature scheme');
  const text = `${BATCH_SCHEME}.ed25519.${keyId}.${timestamp}.${delivery.body}`;
  requireSigned({ keyId, timestamp, signature: header('signature'), text }, options);
  const { endpointId, organizationId, streamId, firstSequence, droppedEvents, events } = JSON.parse(delivery.body) as SentBatch;
  if (endpointId !== options.endpointId) throw invalid('it is for another endpoint');
  return {
    endpointId,
    organizationId,
    streamId,
    sentAtMs: Number(timestamp),
    droppedEvents: Number(droppedEvents),
    events: events.map(({ eventId: id, organizationId, payload }, at) => ({
      id,
      organizationId,
      payload,
      sequence: Number(firstSequence) + at,
    })),
  };
}

const BATCH_SCHEME = 'countersign-batch-v1';

/** The body of a batch. */
interface SentBatch {
  readonly endpointId: string;
  readonly organizationId: string;
  readonly streamId: string;
  readonly firstSequence: string;
  readonly droppedEvents: string;
  readonly events: readonly { readonly eventId: string; readonly organizationId: string; readonly payload: unknown }[];
}

function headerReader({ headers }: WebhookDelivery, prefix: string): (name: string) => string {
  return (name) => {
    const value = headers[prefix + name];
    if (typeof value !== 'string') throw invalid(`the header ${prefix}${name} is missing or repeated`);
    return value;
  };
}

interface Signed {
  readonly keyId: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly text: string;
}

/** Throws unless a key of the service signed the text, recently. */
function requireSigned({ keyId, timestamp, signature, text }: Signed, options: VerifyWebhookOptions): void {
  const { keySet, toleranceMs = TOLERANCE_MS, nowMs = Date.now() } = options;
  const key = keySet.keys.find(({ kid }) => kid === keyId);
  if (key === undefined) throw invalid('the key that signed it is not one of the service. Fetch the keys again');
  if (!/^\d{1,15}$/.test(timestamp)) throw invalid('its time is not a number');
  if (!holds(signature, utf8ToBytes(text), key.x)) throw invalid('its signature is invalid');
  if (Math.abs(nowMs - Number(timestamp)) > toleranceMs) throw invalid('it is too old, or one of the clocks is wrong');
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
