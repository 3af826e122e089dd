import { z } from 'zod';
import { secret } from '../secrets.ts';
import { label, timestamp } from './primitives.ts';

/** The most subscribed browsers of one user. */
export const MAX_PUSH_SUBSCRIPTIONS = 5;

/**
 * A browser to tell, as its PushManager gives it (Push API, section 5).
 * SECURITY: the endpoint and `auth` are what a push service and a browser know a sender by, so no other rendering shows them.
 */
export const pushSubscriptionParams = z.strictObject({
  name: label.describe('A label for people, such as the browser and the device'),
  endpoint: secret(z.string().min(1, 'must not be empty').max(2048, 'must have at most 2048 characters')).describe(
    'The https URL of the push service. Its address must be public',
  ),
  p256dh: z
    .string()
    .regex(/^[A-Za-z0-9_-]{87}=?$/, 'must be an uncompressed P-256 public key, 65 bytes, in base64url')
    .describe('The key of the browser that messages are encrypted to: an uncompressed P-256 point in base64url'),
  auth: secret(z.string().regex(/^[A-Za-z0-9_-]{22}(==)?$/, 'must be 16 bytes in base64url')).describe(
    'The authentication secret of the browser (RFC 8291): 16 bytes in base64url',
  ),
});

/** A subscribed browser, as queries show it to its user. */
export const pushSubscription = z
  .object({
    pushSubscriptionId: z.string(),
    name: z.string(),
    service: z.string().describe('The host of the push service'),
    endpointDigest: z.string().describe('SHA-256 of the endpoint in base64url: a browser finds its own subscription by it'),
    createdAt: timestamp,
  })
  .meta({ id: 'PushSubscription' });

/** A subscribed browser, as queries show it to its user. */
export type PushSubscriptionShape = z.output<typeof pushSubscription>;
