import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { id } from '../../shapes/primitives.ts';

const params = z.strictObject({ endpointId: id });

export const deleteWebhookEndpoint = defineActivity({
  name: 'deleteWebhookEndpoint',
  path: 'delete_webhook_endpoint',
  subject: 'webhooks',
  summary: 'Remove a webhook endpoint and its undelivered events',
  policy: { resource: 'WEBHOOK_ENDPOINT', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_DELETE_WEBHOOK_ENDPOINT',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ endpointId: z.string() }),
});
