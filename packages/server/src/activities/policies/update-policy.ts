import { activities } from '@countersign/contract';
import { policyWarnings, requireFreeName, requireRoom, requireValid, updatedPolicy } from '../../organizations/new-policy.ts';
import { requireTagIds } from '../../organizations/policy-tags.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound } from '../../wire/refuse.ts';

export const updatePolicy = execute(activities.updatePolicy, {
  locksOrganization: true,

  async ruleChange({ organization }, params) {
    const stored = organization.policies.get(params.policyId);
    return stored && { policies: new Map([[params.policyId, updatedPolicy(stored, params)]]) };
  },

  async plan({ organization, limits }, params) {
    const { policyId } = params;
    const stored = organization.policies.get(policyId);
    if (stored === undefined) throw notFound('policy', 'policyId');
    const { createdAtMs } = stored;
    const content = updatedPolicy(stored, params);
    requireRoom(organization, limits, [content], stored);
    requireFreeName(organization, content.policyName, 'policyName', policyId);
    requireValid(organization, content, '', { condition: 'policyCondition', consensus: 'policyConsensus', time: 'time' });
    const { policyCondition, policyConsensus } = params;
    requireTagIds(organization, { policyCondition, policyConsensus });
    // SECURITY: an empty string removes time and notes, and an absent one keeps them. Policies see the resulting values.
    const parameters = () => ({ policyEffect: content.effect, policyNotes: content.notes, time: content.time ?? '' });
    return { intent: params, subject: { parameters }, prepared: { policyId, content, createdAtMs } };
  },

  async run({ organization, nowMs }, { prepared: { policyId, content, createdAtMs } }) {
    return {
      result: { policyId },
      changes: [{ op: 'putRecord', kind: 'policy', id: policyId, body: { ...content, createdAtMs, updatedAtMs: nowMs } }],
      warnings: await policyWarnings(organization, new Map([[policyId, content]]), nowMs),
    };
  },
});
