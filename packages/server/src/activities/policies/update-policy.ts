import { activities } from '@countersign/contract';
import { POLICY_LANGUAGE } from '@countersign/judgement';
import { execute } from '../../pipeline/executor.ts';
import { invalidField, notFound } from '../../wire/refuse.ts';
import { policyContent, policyWarnings, requireFreeName, requireValid } from './new-policy.ts';

export const updatePolicy = execute(activities.updatePolicy, {
  exclusive: true,

  async plan({ organization }, params) {
    const { policyId } = params;
    const stored = organization.policies.get(policyId);
    if (stored === undefined) throw notFound('policy', 'policyId');
    const { createdAtMs, updatedAtMs: _, ...before } = stored;
    // SECURITY: policies see an absent consensus and an empty one alike, so an empty one must not change anything.
    if (params.policyConsensus === '' && before.consensus !== undefined)
      throw invalidField('policyConsensus', 'is empty: an update does not take a consensus away. Make another policy instead');
    const content = policyContent({
      policyName: params.policyName ?? before.policyName,
      effect: params.policyEffect ?? before.effect,
      condition: params.policyCondition ?? before.condition,
      consensus: params.policyConsensus || before.consensus,
      time: params.time ?? before.time,
      notes: params.policyNotes ?? before.notes,
      // A condition that stays keeps its meaning; a new one is written in the language of today.
      language: params.policyCondition === undefined ? before.language : POLICY_LANGUAGE,
    });
    requireFreeName(organization, content.policyName, 'policyName', policyId);
    requireValid(organization, content, '', { condition: 'policyCondition', consensus: 'policyConsensus', time: 'time' });
    // SECURITY: an empty text takes time and notes away, and an absent one leaves them. Policies see what follows.
    const parameters = () => ({ policyEffect: content.effect, policyNotes: content.notes, time: content.time ?? '' });
    return { intent: params, subject: { parameters }, prepared: { policyId, content, createdAtMs } };
  },

  async run({ organization, nowMs }, { prepared: { policyId, content, createdAtMs } }) {
    return {
      result: { policyId },
      changes: [{ op: 'putRecord', kind: 'policy', id: policyId, body: { ...content, createdAtMs, updatedAtMs: nowMs } }],
      warnings: policyWarnings(organization, new Map([[policyId, content]]), nowMs),
    };
  },
});
