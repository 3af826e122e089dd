import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { label, seconds, text } from '../../shapes/primitives.ts';

const params = z.strictObject({
  sessionProfileName: label,
  scope: z
    .string()
    .min(1, 'must not be empty')
    .max(4096, 'must have at most 4096 characters')
    .describe('An expression over `activity`: what it is true for is what sessions with this profile may do'),
  expirationSeconds: seconds.optional().describe('How long such a session lasts; without it the login says so'),
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
