import type { Draft } from './draft.ts';

/** The parameters that create a policy. */
export function parametersOf({ policyName, effect, condition, consensus, notes }: Draft) {
  return { policyName, effect, notes, ...(condition !== '' && { condition }), ...(consensus !== '' && { consensus }) };
}

/** The parameters that update a policy. */
export function updateOf(policyId: string, { policyName, effect, condition, consensus, notes }: Draft) {
  return {
    policyId,
    policyName,
    policyEffect: effect,
    policyCondition: condition || 'true',
    policyConsensus: consensus || 'true',
    policyNotes: notes,
  };
}
