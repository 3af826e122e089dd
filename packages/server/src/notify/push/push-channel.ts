import { hash } from 'node:crypto';
import { isLive } from '../../organizations/live-subscriptions.ts';
import type { Snapshots } from '../../organizations/snapshot/snapshots.ts';
import { DeliveryError } from '../delivery/delivery-error.ts';
import type { OutgoingPush, PushChannel } from '../mail/channel.ts';
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

/** How long a push service stores a message for an offline browser. A later message would be outdated. */
const TTL_SECONDS = 24 * 3_600;
/** RFC 8030 section 7.3: the subscription has ended. */
const ended: ReadonlySet<number | undefined> = new Set([404, 410]);

/**
 * Sends push messages (RFC 8030).
 * SECURITY: A84: users choose the address, so it passes the same guard as webhook addresses, and is looked up again for each message. The
 * message is encrypted to the browser, and only the status and Retry-After of the response are used.
 */
export function createPushChannel({ snapshots, poster, vapid, clock, remove }: PushServices): PushChannel {
  return {
    async send({ organizationId, subscriptionId, about, approvals }) {
      const organization = await snapshots.current(organizationId);
      // The subscription may have ended since the message was queued: removed by its user, with its user or credential, or because its push
      // service reported it as gone.
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
        topic: topicOf(subscriptionId, about),
      };
      try {
        await poster.post(url, headers, encryptPush(pushPayload(approvals, about), keys));
        return 'sent';
      } catch (error) {
        if (!(error instanceof DeliveryError && ended.has(error.answer?.status))) throw error;
        await remove(organizationId, subscriptionId);
        return 'gone';
      }
    },
    close: poster.close,
  };
}

/**
 * RFC 8030 section 5.4: a message replaces an undelivered message with the same topic. Every message covers all pending activities of a
 * user in an organization, so only the newest matters. Notices of freezes have another topic: pending activities must not replace them.
 * SECURITY: A90: each subscription has a separate topic. A topic per organization would reveal to push services which browsers belong
 * together, and messages to one user would replace those to another user of the same browser.
 */
function topicOf(subscriptionId: OutgoingPush['subscriptionId'], about: OutgoingPush['about']): string {
  return hash('sha256', `countersign/${about === 'FREEZES' ? 'freezes' : 'approvals'}/${subscriptionId}`, 'base64url').slice(
    0,
    32,
  );
}

const fromBase64url = (text: string) => Buffer.from(text, 'base64url');
