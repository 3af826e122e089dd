import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { id } from '../../shapes/primitives.ts';

const params = z.strictObject({ endpointId: id });

export const testWebhookEndpoint = defineActivity({
  name: 'testWebhookEndpoint',
  path: 'test_webhook_endpoint',
  subject: 'webhooks',
  summary: 'Send this activity as a test event to a webhook endpoint, regardless of its subscriptions',
  policy: { resource: 'WEBHOOK_ENDPOINT', action: 'VERIFY' },
  type: 'ACTIVITY_TYPE_TEST_WEBHOOK_ENDPOINT',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ endpointId: z.string() }),
});
