import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound } from '../../wire/refuse.ts';

export const deletePushSubscription = execute(activities.deletePushSubscription, {
  locksOrganization: true,

  async plan({ organization }, params) {
    const { pushSubscriptionId } = params;
    const subscription = organization.records.pushSubscription.get(pushSubscriptionId);
    if (subscription === undefined) throw notFound('push subscription', 'pushSubscriptionId');
    const { userId } = subscription;
    return { intent: params, subject: { touches: [{ what: 'PUSH', userId, ends: true }] }, prepared: pushSubscriptionId };
  },

  async run(_context, { prepared: pushSubscriptionId }) {
    return {
      result: { pushSubscriptionId },
      changes: [{ op: 'deleteRecord', kind: 'pushSubscription', id: pushSubscriptionId }],
    };
  },
});
