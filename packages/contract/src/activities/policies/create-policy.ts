import { z } from 'zod';
import { defineActivity, version } from '../../define.ts';
import { policyMarks } from '../../policy-view/marks.ts';
import { backtestFlag, effect, policyParams, selectorV1, selectorV2, timedPolicyParams } from '../../shapes/policies.ts';
import { label, text } from '../../shapes/primitives.ts';

const params = timedPolicyParams.extend({ backtest: backtestFlag });

const withSelectors = <S extends z.ZodType>(selector: S) =>
  z.strictObject({ policyName: label, selectors: z.array(selector).max(100), effect, notes: text.optional() });

export const createPolicy = defineActivity({
  name: 'createPolicy',
  path: 'create_policy',
  subject: 'policies',
  summary: 'Create a policy',
  policy: { resource: 'POLICY', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_POLICY_V3',
  spec: 'endpoint',
  params,
  input: params.extend({
    condition: timedPolicyParams.shape.condition
      .clone()
      .register(policyMarks, { resolved: 'the condition that the selectors mean, or empty' }),
    consensus: timedPolicyParams.shape.consensus
      .clone()
      .register(policyMarks, { resolved: 'the consensus that the selectors mean, or empty' }),
    selectors: z
      .array(z.union([selectorV1, selectorV2]))
      .optional()
      .meta({ default: [] })
      .describe('Requirements in the older form. Policies also see them as condition and consensus'),
  }),
  specParams: policyParams.extend({ backtest: backtestFlag }),
  intent: z.object({
    policyName: z.string(),
    selectors: z.array(z.object({ subject: z.string(), operator: z.string(), target: z.string() })),
    effect,
    condition: z.string().optional(),
    consensus: z.string().optional(),
    notes: z.string(),
  }),
  result: z.object({ policyId: z.string() }),
  otherVersions: [
    version({
      type: 'ACTIVITY_TYPE_CREATE_POLICY',
      params: withSelectors(selectorV1),
      upgrade: (old) => old,
    }),
    version({
      type: 'ACTIVITY_TYPE_CREATE_POLICY_V2',
      params: withSelectors(selectorV2),
      upgrade: (old) => old,
    }),
  ],
});
