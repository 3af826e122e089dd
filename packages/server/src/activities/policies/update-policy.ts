import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/executor.ts';
import { notFound } from '../../wire/refuse.ts';
import { policyContent, policyWarnings, requireFreeName, requireValid } from './new-policy.ts';

export const updatePolicy = execute(activities.updatePolicy, {
  exclusive: true,

  async plan({ organization }, params) {
    const { policyId } = params;
    const stored = organization.policies.get(policyId);
    if (stored === undefined) throw notFound('policy', 'policyId');
    const { createdAtMs, updatedAtMs: _, ...before } = stored;
    const content = policyContent({
      policyName: params.policyName ?? before.policyName,
      effect: params.policyEffect ?? before.effect,
      condition: params.policyCondition ?? before.condition,
      consensus: params.policyConsensus ?? before.consensus,
      time: params.time ?? before.time,
      notes: params.policyNotes ?? before.notes,
    });
    requireFreeName(organization, content.policyName, 'policyName', policyId);
    requireValid(content, '', { condition: 'policyCondition', consensus: 'policyConsensus', time: 'time' });
    return { intent: params, subject: {}, prepared: { policyId, content, createdAtMs } };
  },

  async run({ organization, nowMs }, { prepared: { policyId, content, createdAtMs } }) {
    return {
      result: { policyId },
      changes: [{ op: 'putRecord', kind: 'policy', id: policyId, body: { ...content, createdAtMs, updatedAtMs: nowMs } }],
      warnings: policyWarnings(organization, new Map([[policyId, content]]), nowMs),
    };
  },
});
