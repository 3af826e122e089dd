import { expect, test } from 'vitest';
import type { Draft } from '../src/pages/policies/draft.ts';
import { isRestorable, parametersOf, savedDraft } from '../src/pages/policies/policy-parameters.ts';

const allow: Draft = {
  ...({ policyName: 'Pay', effect: 'EFFECT_ALLOW', notes: '' } as const),
  condition: 'tx.is_payment',
  consensus: 'approvers.count() >= 2',
};
const deny: Draft = { ...allow, effect: 'EFFECT_DENY' };
const blank: Draft = { ...allow, condition: '', consensus: '' };

test('D1140: a deleted policy with times, or in an earlier language, cannot be created again as it was', () => {
  expect(isRestorable(allow)).toBe(true);
  expect(isRestorable({ ...allow, time: '', language: undefined })).toBe(true);
  expect(isRestorable({ ...allow, time: 'time.hour >= 9' })).toBe(false);
  expect(isRestorable({ ...allow, language: 2 })).toBe(false);
});

test('D1141: a DENY is saved without the consensus that the form wrote for an ALLOW', () => {
  expect(savedDraft(deny, blank)).toEqual({ ...deny, consensus: '' });
  expect(parametersOf(savedDraft(deny, blank))).not.toHaveProperty('consensus');
  // Stored with a consensus, or from a template that says so: the editor shows it.
  expect(savedDraft(deny, deny)).toBe(deny);
  expect(savedDraft({ ...deny, keepsConsensus: true }, blank)).toHaveProperty('consensus', allow.consensus);
  expect(savedDraft(allow, blank)).toBe(allow);
});
