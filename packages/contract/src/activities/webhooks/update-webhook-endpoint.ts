import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { policyMarks } from '../../policy-view/marks.ts';
import { id } from '../../shapes/primitives.ts';
import { webhookDeliveryMode, webhookEndpoint, webhookName, webhookUrl } from '../../shapes/webhooks.ts';

const params = z.strictObject({
  endpointId: id,
  url: webhookUrl.optional(),
  name: webhookName.optional(),
  isActive: z
    .boolean()
    .optional()
    .register(policyMarks, { resolved: 'whether the endpoint is active' })
    .describe('False stops deliveries and drops undelivered events'),
  deliveryMode: webhookDeliveryMode
    .optional()
    .register(policyMarks, { resolved: 'the delivery mode of the endpoint' })
    .describe('How events are posted. Unchanged if omitted.'),
});

export const updateWebhookEndpoint = defineActivity({
  name: 'updateWebhookEndpoint',
  path: 'update_webhook_endpoint',
  subject: 'webhooks',
  summary: 'Change, pause or resume a webhook endpoint',
  policy: { resource: 'WEBHOOK_ENDPOINT', action: 'UPDATE' },
  type: 'ACTIVITY_TYPE_UPDATE_WEBHOOK_ENDPOINT',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ endpointId: z.string(), webhookEndpoint }),
});
