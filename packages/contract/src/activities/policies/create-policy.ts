import { z } from 'zod';
import { defineActivity, previous } from '../../define.ts';
import {
  type CreatePolicyParams,
  effect,
  policyParams,
  selectorV1,
  selectorV2,
  timedPolicyParams,
} from '../../shapes/policies.ts';
import { label, text } from '../../shapes/primitives.ts';

const withSelectors = <S extends z.ZodType>(selector: S) =>
  z.strictObject({ policyName: label, selectors: z.array(selector).max(100), effect, notes: text.optional() });

export const createPolicy = defineActivity({
  name: 'createPolicy',
  path: 'create_policy',
  subject: 'policies',
  summary: 'Create a policy',
  policy: { resource: 'POLICY', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_POLICY_V3',
  specified: true,
  params: timedPolicyParams,
  specParams: policyParams,
  intent: z.object({
    policyName: z.string(),
    selectors: z.array(z.object({ subject: z.string(), operator: z.string(), target: z.string() })),
    effect,
    condition: z.string().optional(),
    consensus: z.string().optional(),
    notes: z.string(),
  }),
  result: z.object({ policyId: z.string() }),
  previous: [
    previous({
      type: 'ACTIVITY_TYPE_CREATE_POLICY',
      params: withSelectors(selectorV1),
      upgrade: (old): CreatePolicyParams => old,
    }),
    previous({
      type: 'ACTIVITY_TYPE_CREATE_POLICY_V2',
      params: withSelectors(selectorV2),
      upgrade: (old): CreatePolicyParams => old,
    }),
  ],
});
