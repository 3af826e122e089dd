import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { policyMarks } from '../../policy-view/marks.ts';
import { defaults } from '../../shapes/defaults.ts';
import { governedKey, ipAllowlistRuleParams, onEvaluationError } from '../../shapes/ip-allowlists.ts';

const rules = z.array(ipAllowlistRuleParams).max(1000, 'must have at most 1000 items');

export const setIpAllowlist = defineActivity({
  name: 'setIpAllowlist',
  path: 'set_ip_allowlist',
  subject: 'organizations',
  summary: 'Allow calls only from listed IP addresses, for the whole organization or for one API key',
  policy: { resource: 'IP_ALLOWLIST', action: 'UPDATE' },
  type: 'ACTIVITY_TYPE_SET_IP_ALLOWLIST',
  spec: 'none',
  params: z.strictObject({
    publicKey: governedKey.optional(),
    enabled: z
      .boolean()
      .optional()
      .meta({ default: defaults.ipAllowlistEnabled })
      .describe('Whether the list is enforced. True by default. The list of an API key is always enforced'),
    rules: rules
      .optional()
      .register(policyMarks, { resolved: 'the rules of the list as it is' })
      .describe('The allowed addresses. If omitted, the current rules stay'),
    onEvaluationError: onEvaluationError
      .optional()
      .meta({ default: defaults.onEvaluationError })
      .describe('What to do with a request whose address is unknown. DENY by default'),
  }),
  intent: z.strictObject({
    publicKey: z.string().optional(),
    enabled: z.boolean().optional(),
    rules: z.array(ipAllowlistRuleParams),
    onEvaluationError,
  }),
  result: z.object({}),
});
