import { activities, MAX_PUSH_SUBSCRIPTIONS, ServiceError } from '@countersign/contract';
import { heldBy } from '@countersign/judgement';
import type { LocalChange } from '../../organizations/changes.ts';
import type { PushSubscriptionRecord } from '../../organizations/records.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import { execute, type PlanContext } from '../../pipeline/executor.ts';
import { readBrowserKeys } from '../../push/subscription.ts';
import { readWebhookUrl, requireReachable } from '../../webhooks/endpoint.ts';

/**
 * Tells the submitter in one more browser. A browser that subscribes again takes the place of its earlier subscription.
 * SECURITY: A86: nobody subscribes for somebody else: the request names no user.
 */
export const createPushSubscription = execute(activities.createPushSubscription, {
  exclusive: true,

  async plan({ organization, submitterId, reachableByPush, nowMs }: PlanContext, params) {
    const endpoint = readWebhookUrl(reachableByPush, params.endpoint, 'endpoint');
    const keys = readBrowserKeys(params);
    const held = heldBy(organization.records.pushSubscription, submitterId);
    if (!isKnown(held, endpoint) && held.size >= MAX_PUSH_SUBSCRIPTIONS) throw tooMany();
    const record = { userId: submitterId, name: params.name, endpoint, ...keys, createdAtMs: nowMs, updatedAtMs: nowMs };
    return { intent: params, subject: { touches: [{ what: 'PUSH', userId: submitterId }] }, prepared: record };
  },

  async run({ organization, reachableByPush, newId }, { prepared: record }) {
    await requireReachable(reachableByPush, record.endpoint, 'endpoint');
    const pushSubscriptionId = newId();
    return {
      result: { pushSubscriptionId },
      changes: [
        ...replaced(organization, record),
        { op: 'putRecord', kind: 'pushSubscription', id: pushSubscriptionId, body: record },
      ],
    };
  },
});

type Held = ReadonlyMap<string, PushSubscriptionRecord>;

const isKnown = (held: Held, endpoint: string) => [...held.values()].some((other) => other.endpoint === endpoint);

function replaced({ records }: Snapshot, { userId, endpoint }: PushSubscriptionRecord): LocalChange[] {
  const same = [...heldBy(records.pushSubscription, userId)].filter(([, other]) => other.endpoint === endpoint);
  return same.map(([id]) => ({ op: 'deleteRecord', kind: 'pushSubscription', id }));
}

function tooMany(): ServiceError {
  return new ServiceError(
    'LIMIT_EXCEEDED',
    `A user is told in at most ${MAX_PUSH_SUBSCRIPTIONS} browsers. Remove one with delete_push_subscription first.`,
  );
}
