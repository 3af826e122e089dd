import { activities, MAX_PUSH_SUBSCRIPTIONS, ServiceError } from '@countersign/contract';
import { credentialsOfUser } from '@countersign/judgement';
import { readBrowserKeys } from '../../notify/push/subscription.ts';
import { readWebhookUrl } from '../../notify/webhooks/endpoint.ts';
import { isLive, liveSubscriptions } from '../../organizations/live-subscriptions.ts';
import type { PushSubscriptionRecord } from '../../organizations/records.ts';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { execute, type PlanContext } from '../../pipeline/plan/executor.ts';

/**
 * Sends push notifications to one more browser of the submitter. If a browser subscribes again, its earlier subscription is replaced.
 * SECURITY: A86: the request names no user, so that users can only subscribe themselves.
 */
export const createPushSubscription = execute(activities.createPushSubscription, {
  locksOrganization: true,

  async plan({ organization, submitterId, submittedWith, pushEgress, nowMs }: PlanContext, params) {
    const endpoint = readWebhookUrl(pushEgress, params.endpoint, 'endpoint');
    const keys = readBrowserKeys(params);
    const live = liveSubscriptions(organization, submitterId, nowMs);
    if (!isKnown(live, endpoint) && live.size >= MAX_PUSH_SUBSCRIPTIONS) throw tooMany();
    const dates = { createdAtMs: nowMs, updatedAtMs: nowMs };
    const record = { userId: submitterId, subscribedWith: submittedWith, name: params.name, endpoint, ...keys, ...dates };
    return { intent: params, subject: { touches: [{ what: 'PUSH', userId: submitterId }] }, prepared: record };
  },

  /**
   * SECURITY: A87: do not resolve the host name here. Any user may submit this activity, and all changes and votes of the organization wait
   * while it runs: a name server that the user chooses could block them. The name is resolved for each message, under the same guard.
   */
  async run({ organization, newId, nowMs }, { prepared: record }) {
    const pushSubscriptionId = newId();
    return {
      result: { pushSubscriptionId },
      changes: [
        ...replaced(organization, record, nowMs),
        { op: 'putRecord', kind: 'pushSubscription', id: pushSubscriptionId, body: record },
      ],
    };
  },
});

type Subscriptions = ReadonlyMap<string, PushSubscriptionRecord>;

const isKnown = (subscriptions: Subscriptions, endpoint: string) =>
  [...subscriptions.values()].some((other) => other.endpoint === endpoint);

/** Removes the user's subscriptions of the same browser, and those that have ended. */
function replaced(organization: Snapshot, { userId, endpoint }: PushSubscriptionRecord, nowMs: number): LocalChange[] {
  return [...credentialsOfUser(organization.records.pushSubscription, userId)]
    .filter(([, other]) => other.endpoint === endpoint || !isLive(organization, other, nowMs))
    .map(([id]) => ({ op: 'deleteRecord', kind: 'pushSubscription', id }));
}

function tooMany(): ServiceError {
  return new ServiceError(
    'LIMIT_EXCEEDED',
    `A user can subscribe at most ${MAX_PUSH_SUBSCRIPTIONS} browsers. Remove one with delete_push_subscription first.`,
  );
}
