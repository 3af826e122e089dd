import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { listPagination, organizationId } from '../../shapes/primitives.ts';
import { webhookEndpoint } from '../../shapes/webhooks.ts';

export const listWebhookEndpoints = defineQuery({
  name: 'listWebhookEndpoints',
  path: 'list_webhook_endpoints',
  subject: 'webhooks',
  summary: 'List the webhook endpoints of the organization',
  reads: { resources: ['WEBHOOK_ENDPOINT'] },
  input: z.strictObject({ organizationId, paginationOptions: listPagination }),
  output: z.object({ webhookEndpoints: z.array(webhookEndpoint) }),
});
