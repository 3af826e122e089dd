import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { id, organizationId } from '../../shapes/primitives.ts';
import { sessionProfile } from '../../shapes/sessions.ts';

export const getSessionProfile = defineQuery({
  name: 'getSessionProfile',
  path: 'get_session_profile',
  subject: 'sign-in',
  summary: 'Get one session profile',
  reads: { resources: ['SESSION_PROFILE'] },
  input: z.strictObject({ organizationId, sessionProfileId: id }),
  output: z.object({ sessionProfile }),
});
