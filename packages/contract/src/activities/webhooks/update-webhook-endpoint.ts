import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { id } from '../../shapes/primitives.ts';
import { webhookEndpoint, webhookName, webhookUrl } from '../../shapes/webhooks.ts';

const params = z.strictObject({
  endpointId: id,
  url: webhookUrl.optional(),
  name: webhookName.optional(),
  isActive: z.boolean().optional().describe('False: nothing is sent any more, and what waits is dropped'),
});

export const updateWebhookEndpoint = defineActivity({
  name: 'updateWebhookEndpoint',
  path: 'update_webhook_endpoint',
  subject: 'webhooks',
  summary: 'Change the address or name of a webhook endpoint, pause it or take it up again',
  policy: { resource: 'WEBHOOK_ENDPOINT', action: 'UPDATE' },
  type: 'ACTIVITY_TYPE_UPDATE_WEBHOOK_ENDPOINT',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ endpointId: z.string(), webhookEndpoint }),
});
