import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { authProxyConfigParams } from '../../shapes/auth-proxy.ts';

export const updateAuthProxyConfig = defineActivity({
  name: 'updateAuthProxyConfig',
  path: 'update_auth_proxy_config',
  subject: 'organizations',
  summary: 'Configure how people sign up and sign in through the auth proxy',
  policy: { resource: 'CONFIG', action: 'UPDATE' },
  type: 'ACTIVITY_TYPE_UPDATE_AUTH_PROXY_CONFIG',
  spec: 'none',
  params: authProxyConfigParams,
  intent: authProxyConfigParams,
  result: z.object({ configId: z.string() }),
});
