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

/** A DENY needs no approvals. One that was stored with a consensus, or comes from a template with one, still shows it. */
export const hasConsensus = ({ effect, keepsConsensus }: Draft, stored: Draft) =>
  effect === 'EFFECT_ALLOW' || keepsConsensus === true || (stored.effect === 'EFFECT_DENY' && stored.consensus !== '');

/** The draft as it would be saved: without a consensus that the editor does not show. */
export function savedDraft(draft: Draft, stored: Draft): Draft {
  return hasConsensus(draft, stored) ? draft : { ...draft, consensus: '' };
}

/**
 * Whether a deleted policy can be created again as it was.
 * SECURITY: D1140: the console creates policies without a time and in the current language, so another one would come back weaker.
 */
export const isRestorable = ({ time = '', language }: Draft) => time === '' && language === undefined;
