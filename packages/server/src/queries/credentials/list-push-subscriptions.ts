import { queries } from '@countersign/contract';
import { showPushSubscription } from '../../notify/push/subscription.ts';
import { liveSubscriptions } from '../../organizations/live-subscriptions.ts';
import { resolve } from '../../pipeline/query.ts';

/** SECURITY: A86: users see only their own subscriptions, not the browsers of other users. */
export const listPushSubscriptions = resolve(
  queries.listPushSubscriptions,
  async ({ organization, caller, applicationServerKey, nowMs }) => ({
    applicationServerKey,
    pushSubscriptions: [...liveSubscriptions(organization, caller.userId, nowMs)].map(([id, subscription]) =>
      showPushSubscription(id, subscription),
    ),
  }),
);
