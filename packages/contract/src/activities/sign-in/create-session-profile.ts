import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { label, seconds, text } from '../../shapes/primitives.ts';

const params = z.strictObject({
  sessionProfileName: label,
  scope: z
    .string()
    .min(1, 'must not be empty')
    .max(4096, 'must have at most 4096 characters')
    .describe('An expression over `activity`. Sessions with this profile may do the activities for which it is true'),
  expirationSeconds: seconds.optional().describe('The lifetime of such a session; if omitted, the login sets it'),
  notes: text.optional(),
});

export const createSessionProfile = defineActivity({
  name: 'createSessionProfile',
  path: 'create_session_profile',
  subject: 'sign-in',
  summary: 'Create a profile that limits what sessions may do',
  policy: { resource: 'SESSION_PROFILE', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_SESSION_PROFILE',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ sessionProfileId: z.string() }),
});
