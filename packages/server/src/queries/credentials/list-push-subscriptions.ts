import { queries } from '@countersign/contract';
import { heldBy } from '@countersign/judgement';
import { resolve } from '../../pipeline/query.ts';
import { showPushSubscription } from '../../push/subscription.ts';

/** SECURITY: A86: everybody sees their own alone. Where others use a browser is nobody's business. */
export const listPushSubscriptions = resolve(
  queries.listPushSubscriptions,
  async ({ organization, caller, applicationServerKey }) => ({
    applicationServerKey,
    pushSubscriptions: [...heldBy(organization.records.pushSubscription, caller.userId)].map(([id, subscription]) =>
      showPushSubscription(id, subscription),
    ),
  }),
);
