import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { organizationId } from '../../shapes/primitives.ts';
import { pushSubscription } from '../../shapes/push-subscriptions.ts';

export const listPushSubscriptions = defineQuery({
  name: 'listPushSubscriptions',
  path: 'list_push_subscriptions',
  subject: 'credentials',
  summary: 'List the browsers that notify the caller of pending approvals',
  reads: { resources: ['USER'], always: 'WHOLE' },
  input: z.strictObject({ organizationId }),
  output: z.object({
    applicationServerKey: z
      .string()
      .describe('The key of this service for PushManager.subscribe (RFC 8292): an uncompressed P-256 point in base64url'),
    pushSubscriptions: z.array(pushSubscription),
  }),
});
