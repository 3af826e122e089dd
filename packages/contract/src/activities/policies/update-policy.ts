import { z } from 'zod';
import { defineActivity, version } from '../../define.ts';
import { policyMarks } from '../../policy-view/marks.ts';
import { backtestFlag, effect, timedPolicyParams } from '../../shapes/policies.ts';
import { id, label, text } from '../../shapes/primitives.ts';

const { condition, consensus, time } = timedPolicyParams.shape;

const paramsV1 = z.strictObject({
  policyId: id,
  policyName: label.optional(),
  policyEffect: effect.optional().register(policyMarks, { resolved: 'the effect that the policy has' }),
  policyCondition: condition,
  policyConsensus: consensus,
  policyNotes: text.optional().register(policyMarks, { resolved: 'the notes that the policy has' }),
});
const params = z.strictObject({
  ...paramsV1.shape,
  backtest: backtestFlag,
  time: time.clone().register(policyMarks, { resolved: 'the time that the policy has, empty when there is none' }),
});

export const updatePolicy = defineActivity({
  name: 'updatePolicy',
  path: 'update_policy',
  subject: 'policies',
  summary: 'Change a policy. Omitted fields stay the same',
  policy: { resource: 'POLICY', action: 'UPDATE' },
  type: 'ACTIVITY_TYPE_UPDATE_POLICY_V2',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ policyId: z.string() }),
  resultKey: 'updatePolicyResultV2',
  otherVersions: [version({ type: 'ACTIVITY_TYPE_UPDATE_POLICY', params: paramsV1, upgrade: (old) => old })],
});
