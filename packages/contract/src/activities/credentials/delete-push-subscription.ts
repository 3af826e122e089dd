import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { id } from '../../shapes/primitives.ts';

const params = z.strictObject({ pushSubscriptionId: id });

export const deletePushSubscription = defineActivity({
  name: 'deletePushSubscription',
  path: 'delete_push_subscription',
  subject: 'credentials',
  summary: 'Stop notifications in a browser',
  policy: { resource: 'CREDENTIAL', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_DELETE_PUSH_SUBSCRIPTION',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ pushSubscriptionId: z.string() }),
});
