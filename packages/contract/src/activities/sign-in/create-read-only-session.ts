import { z } from 'zod';
import { defineActivity } from '../../define.ts';

const params = z.strictObject({});

export const createReadOnlySession = defineActivity({
  name: 'createReadOnlySession',
  path: 'create_read_only_session',
  subject: 'sign-in',
  summary: 'Start a session that may only read, with a token for the X-Session header',
  policy: { resource: 'AUTH', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION',
  parentIdSuffices: true,
  submitterOnly: ['session'],
  params,
  intent: params,
  result: z.object({
    organizationId: z.string(),
    organizationName: z.string(),
    userId: z.string(),
    username: z.string(),
    session: z
      .string()
      .describe('The token. It is shown once, in the answer to this request, and empty wherever it is shown again'),
    sessionExpiry: z.string().describe('When the session ends, in seconds since the epoch'),
  }),
});
