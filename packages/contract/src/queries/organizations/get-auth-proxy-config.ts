import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { authProxyConfig } from '../../shapes/auth-proxy.ts';
import { organizationId } from '../../shapes/primitives.ts';

export const getAuthProxyConfig = defineQuery({
  name: 'getAuthProxyConfig',
  path: 'get_auth_proxy_config',
  subject: 'organizations',
  summary: 'Get the configuration of the auth proxy',
  reads: { resources: ['CONFIG'] },
  input: z.strictObject({ organizationId }),
  output: z.object({ authProxyConfig }),
});
