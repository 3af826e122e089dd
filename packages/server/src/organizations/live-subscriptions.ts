import { credentialsOfUser, expired } from '@countersign/judgement';
import type { PushSubscriptionRecord } from './records.ts';
import type { Snapshot } from './snapshot.ts';

type Credentials = Pick<Snapshot, 'apiKeys' | 'authenticators'>;

/**
 * Whether a browser is still told.
 * SECURITY: A88: a subscription ends with the credential that it was made with. Otherwise a thief who subscribed with a stolen key would
 * go on hearing after the key was deleted, and nobody but its user could see that.
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

/** The subscriptions of a user that are told, by id. */
export function liveSubscriptions(
  organization: Credentials & Pick<Snapshot, 'records'>,
  userId: string,
  nowMs: number,
): ReadonlyMap<string, PushSubscriptionRecord> {
  const held = [...credentialsOfUser(organization.records.pushSubscription, userId)];
  return new Map(held.filter(([, subscription]) => isLive(organization, subscription, nowMs)));
}
