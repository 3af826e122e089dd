import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { pushSubscriptionParams } from '../../shapes/push-subscriptions.ts';

export const createPushSubscription = defineActivity({
  name: 'createPushSubscription',
  path: 'create_push_subscription',
  subject: 'credentials',
  summary: 'Notify the submitter of pending approvals in a browser',
  policy: { resource: 'CREDENTIAL', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_PUSH_SUBSCRIPTION',
  spec: 'none',
  params: pushSubscriptionParams,
  intent: pushSubscriptionParams,
  result: z.object({ pushSubscriptionId: z.string() }),
});
