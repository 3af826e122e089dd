import { describe, expect, test } from 'vitest';
import { intended, knownWrong } from './intended-harms.ts';
import { harmsOf, shownPolicies, worstCaseOf } from './worst-cases.ts';

describe('worst cases of the policies of the guides and the console', () => {
  const allowing = shownPolicies().filter(({ policy }) => policy.effect === 'EFFECT_ALLOW');

  test.each(allowing)('D415: $source: $policy.id allows no harm that it does not declare as intended', ({ policy }) => {
    const worst = worstCaseOf(policy);
    expect(worst).toMatchObject({ isComplete: true });
    expect(worst.untried).toBeUndefined();
    const declared = [...(intended[policy.id] ?? []), ...(knownWrong[policy.id] ?? [])];
    expect(harmsOf(worst).filter((harm) => !declared.includes(harm))).toEqual([]);
  });

  test('D415: a harm that a policy does not declare is found', () => {
    const careless = { id: 'Withdraw SOL', effect: 'EFFECT_ALLOW' as const, condition: "activity.action == 'SIGN'" };
    expect(harmsOf(worstCaseOf(careless))).toContain('allowance:ANYONE');
  });
});
