import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { defaults } from '../../shapes/defaults.ts';
import { webhookDeliveryMode, webhookEndpoint, webhookName, webhookSubscription, webhookUrl } from '../../shapes/webhooks.ts';

const params = z.strictObject({
  url: webhookUrl,
  name: webhookName,
  subscriptions: z
    .array(webhookSubscription)
    .min(1, 'must not be empty: an endpoint without a subscription receives nothing')
    .max(10, 'must have at most 10 items')
    .optional()
    .meta({ default: [defaults.webhookSubscription] })
    .describe('All activity updates by default'),
  deliveryMode: webhookDeliveryMode
    .optional()
    .meta({ default: defaults.webhookDeliveryMode })
    .describe('How events are posted. WEBHOOK_DELIVERY_MODE_SINGLE by default: one event at a time.'),
});

export const createWebhookEndpoint = defineActivity({
  name: 'createWebhookEndpoint',
  path: 'create_webhook_endpoint',
  subject: 'webhooks',
  summary: 'Post the activities of the organization and its sub-organizations to a URL',
  policy: { resource: 'WEBHOOK_ENDPOINT', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ endpointId: z.string(), webhookEndpoint }),
});
