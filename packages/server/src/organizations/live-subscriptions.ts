import { credentialsOfUser, expired } from '@countersign/judgement';
import type { PushSubscriptionRecord } from './records.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

type Credentials = Pick<Snapshot, 'apiKeys' | 'authenticators'>;

/**
 * Whether a browser still gets notifications.
 * SECURITY: A88: a subscription ends with the credential that created it. Otherwise a thief who subscribed with a stolen key would still
 * get
 * notifications after the key was deleted, and only its user could notice.
 */
export function isLive(
  { apiKeys, authenticators }: Credentials,
  { userId, subscribedWith }: Pick<PushSubscriptionRecord, 'userId' | 'subscribedWith'>,
  nowMs: number,
): boolean {
  const key = apiKeys.get(subscribedWith);
  if (key !== undefined) return key.userId === userId && !expired(key, nowMs);
  return authenticators.get(subscribedWith)?.userId === userId;
}

/** The live subscriptions of a user, by id. */
export function liveSubscriptions(
  organization: Credentials & Pick<Snapshot, 'records'>,
  userId: string,
  nowMs: number,
): ReadonlyMap<string, PushSubscriptionRecord> {
  const held = [...credentialsOfUser(organization.records.pushSubscription, userId)];
  return new Map(held.filter(([, subscription]) => isLive(organization, subscription, nowMs)));
}
