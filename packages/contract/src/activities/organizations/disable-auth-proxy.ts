import { z } from 'zod';
import { defineActivity } from '../../define.ts';

const params = z.strictObject({});

export const disableAuthProxy = defineActivity({
  name: 'disableAuthProxy',
  path: 'disable_auth_proxy',
  subject: 'organizations',
  summary: 'Delete the configuration of the auth proxy, so that it serves no one',
  policy: { resource: 'CONFIG', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_DISABLE_AUTH_PROXY',
  spec: 'none',
  params,
  intent: params,
  result: z.object({}),
});
