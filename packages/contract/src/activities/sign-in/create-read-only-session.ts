import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { secret } from '../../secrets.ts';

const params = z.strictObject({});

export const createReadOnlySession = defineActivity({
  name: 'createReadOnlySession',
  path: 'create_read_only_session',
  subject: 'sign-in',
  summary: 'Start a read-only session. Returns a token for the X-Session header',
  policy: { resource: 'AUTH', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION',
  spec: 'types',
  parentIdSuffices: true,
  params,
  intent: params,
  result: z.object({
    organizationId: z.string(),
    organizationName: z.string(),
    userId: z.string(),
    username: z.string(),
    session: secret(z.string()).describe('The token'),
    sessionExpiry: z.string().describe('When the session ends, in seconds since the Unix epoch'),
  }),
});
