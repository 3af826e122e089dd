import { queries } from '@countersign/contract';
import { liveSubscriptions } from '../../organizations/live-subscriptions.ts';
import { resolve } from '../../pipeline/query.ts';
import { showPushSubscription } from '../../push/subscription.ts';

/** SECURITY: A86: everybody sees their own alone. Where others use a browser is nobody's business. */
export const listPushSubscriptions = resolve(
  queries.listPushSubscriptions,
  async ({ organization, caller, applicationServerKey, nowMs }) => ({
    applicationServerKey,
    pushSubscriptions: [...liveSubscriptions(organization, caller.userId, nowMs)].map(([id, subscription]) =>
      showPushSubscription(id, subscription),
    ),
  }),
);
