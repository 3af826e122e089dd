import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { governedKey, ipAllowlistRuleParams, onEvaluationError } from '../../shapes/ip-allowlists.ts';

const rules = z.array(ipAllowlistRuleParams).max(1000, 'must have at most 1000 items');

export const setIpAllowlist = defineActivity({
  name: 'setIpAllowlist',
  path: 'set_ip_allowlist',
  subject: 'organizations',
  summary: 'Allow calls from certain addresses only, for the credentials of the organization or for one API key',
  policy: { resource: 'IP_ALLOWLIST', action: 'UPDATE' },
  type: 'ACTIVITY_TYPE_SET_IP_ALLOWLIST',
  spec: 'none',
  params: z.strictObject({
    publicKey: governedKey.optional(),
    enabled: z.boolean().optional().describe('Whether the list is in force, as it is by default; a key’s list always is'),
    rules: rules.optional().describe('Who may call. Left out, the rules stay as they are'),
    onEvaluationError: onEvaluationError
      .optional()
      .describe('What becomes of a request whose address cannot be told; DENY by default'),
  }),
  intent: z.strictObject({
    publicKey: z.string().optional(),
    enabled: z.boolean().optional(),
    rules: z.array(ipAllowlistRuleParams),
    onEvaluationError,
  }),
  result: z.object({}),
});
