import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { governedKey, ipAllowlist } from '../../shapes/ip-allowlists.ts';
import { organizationId } from '../../shapes/primitives.ts';

export const getIpAllowlist = defineQuery({
  name: 'getIpAllowlist',
  path: 'get_ip_allowlist',
  subject: 'organizations',
  summary: 'Get the IP allowlist of the organization or of one API key',
  reads: { resources: ['IP_ALLOWLIST'] },
  input: z.strictObject({ organizationId, publicKey: governedKey.optional() }),
  output: z.object({ allowlist: ipAllowlist }),
});
