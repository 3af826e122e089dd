import { hash } from 'node:crypto';
import type { PushSubscriptionShape } from '@countersign/contract';
import type { PushSubscriptionRecord } from '../../organizations/records.ts';
import { toTimestamp } from '../../organizations/views.ts';
import { uncompressed } from '../../vault/keys/p256-point.ts';
import { invalidField } from '../../wire/refuse.ts';

/** Reads the keys of a browser into their stored form. Rejects keys that are not usable for encryption. */
export function readBrowserKeys(given: { readonly p256dh: string; readonly auth: string }): { p256dh: string; auth: string } {
  const point = exactBytes(given.p256dh, 65, 'p256dh');
  try {
    if (point[0] !== 4) throw new Error('not uncompressed');
    uncompressed(point);
  } catch {
    throw invalidField('p256dh', 'must be an uncompressed P-256 public key, 65 bytes, in base64url');
  }
  return { p256dh: point.toString('base64url'), auth: exactBytes(given.auth, 16, 'auth').toString('base64url') };
}

/** Decodes base64url. Rejects other lengths and non-canonical encodings. */
function exactBytes(text: string, length: number, field: string): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length === length && bytes.toString('base64url') === text.replace(/=+$/, '')) return bytes;
  throw invalidField(field, `must be ${length} bytes in base64url`);
}

/**
 * A subscription as its user sees it.
 * SECURITY: A86: omits the secret, and the endpoint, which identifies the browser to its push service.
 */
export function showPushSubscription(
  pushSubscriptionId: string,
  { name, endpoint, createdAtMs }: PushSubscriptionRecord,
): PushSubscriptionShape {
  return {
    pushSubscriptionId,
    name,
    service: new URL(endpoint).host,
    endpointDigest: hash('sha256', endpoint, 'base64url'),
    createdAt: toTimestamp(createdAtMs),
  };
}
