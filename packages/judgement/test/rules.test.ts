import { authorizeByPolicy, CURRENT_RULES, decideByCredential, isKnownRules, UnknownRulesError } from '@countersign/judgement';
import { expect, test } from 'vitest';
import { judgement, organization, vote } from './support/world.ts';

const where = organization([{ id: 'a' }], { p: {} });
const by = (rules?: number) => judgement(where, [vote('a')], { rules });

test('a decision without a version was made by the first rules', () => {
  expect(isKnownRules()).toBe(true);
  expect(authorizeByPolicy.decide(by())).toEqual(authorizeByPolicy.decide(by(1)));
});

test('the current rules are known', () => {
  expect(isKnownRules(CURRENT_RULES)).toBe(true);
});

test('rules of a later release are not replaced by others', () => {
  const later = by(CURRENT_RULES + 1);
  expect(isKnownRules(later.rules)).toBe(false);
  expect(() => authorizeByPolicy.decide(later)).toThrow(UnknownRulesError);
  expect(() => decideByCredential(later)).toThrow('Use a later release');
});
