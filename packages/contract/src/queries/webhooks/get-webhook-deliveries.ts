import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { organizationId, paginationOptions } from '../../shapes/primitives.ts';
import { webhookDeliveryState } from '../../shapes/webhooks.ts';

export const getWebhookDeliveries = defineQuery({
  name: 'getWebhookDeliveries',
  path: 'get_webhook_deliveries',
  subject: 'webhooks',
  summary: 'Get the delivery status of the webhook endpoints of the organization, newest endpoint first',
  reads: { resources: ['WEBHOOK_ENDPOINT'] },
  input: z.strictObject({ organizationId, paginationOptions: paginationOptions.optional() }),
  output: z.object({ deliveries: z.array(webhookDeliveryState) }),
});
