import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { governedKey } from '../../shapes/ip-allowlists.ts';

const params = z.strictObject({ publicKey: governedKey.optional() });

export const removeIpAllowlist = defineActivity({
  name: 'removeIpAllowlist',
  path: 'remove_ip_allowlist',
  subject: 'organizations',
  summary: 'Remove the IP allowlist of the organization or of one API key',
  policy: { resource: 'IP_ALLOWLIST', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_REMOVE_IP_ALLOWLIST',
  spec: 'none',
  params,
  intent: params,
  result: z.object({}),
});
