import { z } from 'zod';
import { defineActivity } from '../../define.ts';

const params = z.strictObject({
  allowedOrigins: z
    .array(z.string().min(1, 'must not be empty').max(512, 'must have at most 512 characters'))
    .max(100, 'must have at most 100 items')
    .describe('Exact origins, such as https://app.example.com. An empty list applies the operator’s setting'),
});

export const updateAllowedOrigins = defineActivity({
  name: 'updateAllowedOrigins',
  path: 'update_allowed_origins',
  subject: 'organizations',
  summary: 'Set the origins where passkeys of the organization work',
  policy: { resource: 'CONFIG', action: 'UPDATE' },
  type: 'ACTIVITY_TYPE_UPDATE_ALLOWED_ORIGINS',
  spec: 'types',
  params,
  intent: params,
  result: z.object({}),
});
