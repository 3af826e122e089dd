import { hash } from 'node:crypto';
import { DeliveryFault } from '../delivery/delivery-fault.ts';
import type { OutgoingPush, PushChannel } from '../mail/channel.ts';
import { isLive } from '../organizations/live-subscriptions.ts';
import type { Snapshots } from '../organizations/snapshots.ts';
import type { Poster } from '../webhooks/post-event.ts';
import { encryptPush } from './encrypt.ts';
import { pushPayload } from './payload.ts';
import type { Vapid } from './vapid.ts';

export interface PushServices {
  readonly snapshots: Pick<Snapshots, 'current'>;
  readonly poster: Poster;
  readonly vapid: Vapid;
  readonly clock: { nowMs(): number };
  /** Removes a subscription that its push service no longer has. Resolves once that is durable. */
  remove(organizationId: string, subscriptionId: string): Promise<void>;
}

/** How long a push service keeps a message for a browser that is not there. Later it tells nothing new. */
const TTL_SECONDS = 24 * 3_600;
/** RFC 8030 section 7.3: the subscription has ended. */
const ended: ReadonlySet<number | undefined> = new Set([404, 410]);

/**
 * Sends push messages (RFC 8030).
 * SECURITY: A84: the address is a user's, so it goes through the same guard as the addresses of webhooks, and is looked up again for each
 * message. The message is encrypted to the browser, and only the status of the answer counts.
 */
export function createPushChannel({ snapshots, poster, vapid, clock, remove }: PushServices): PushChannel {
  return {
    async send({ organizationId, subscriptionId, approvals }) {
      const organization = await snapshots.current(organizationId);
      // It may have gone while the message waited: by its user, with its user or credential, or because its push service said so.
      const subscription = organization?.records.pushSubscription.get(subscriptionId);
      if (organization === undefined || subscription === undefined) return 'gone';
      if (!isLive(organization, subscription, clock.nowMs())) return 'gone';
      const url = new URL(subscription.endpoint);
      const keys = { p256dh: fromBase64url(subscription.p256dh), auth: fromBase64url(subscription.auth) };
      const headers = {
        authorization: await vapid(url, clock.nowMs()),
        'content-type': 'application/octet-stream',
        'content-encoding': 'aes128gcm',
        ttl: String(TTL_SECONDS),
        urgency: 'high',
        topic: topicOf(subscriptionId),
      };
      try {
        await poster.post(url, headers, encryptPush(pushPayload(approvals), keys));
        return 'sent';
      } catch (error) {
        if (!(error instanceof DeliveryFault && ended.has(error.answer?.status))) throw error;
        await remove(organizationId, subscriptionId);
        return 'gone';
      }
    },
    close: poster.close,
  };
}

/**
 * RFC 8030 section 5.4: a message replaces one with the same topic that the browser has not got yet. Every message says all that waits for
 * a user in an organization, so only the newest counts.
 * SECURITY: A90: each subscription has a topic of its own. One for an organization would tell push services whose browsers belong together,
 * and messages to one user would replace those to another in a browser that both use.
 */
function topicOf(subscriptionId: OutgoingPush['subscriptionId']): string {
  return hash('sha256', `countersign/approvals/${subscriptionId}`, 'base64url').slice(0, 32);
}

const fromBase64url = (text: string) => Buffer.from(text, 'base64url');
