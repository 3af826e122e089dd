import { policyOptions } from '@countersign/judgement';
import { checkPolicy, compilePolicies, decide, lintPolicies, type PolicySource } from '@countersign/policy';
import { describe, expect, test } from 'vitest';
import { type GuidePolicy, readGuidePolicies } from './policies.ts';
import { policyCases } from './policy-cases.ts';
import { toRequest } from './policy-requests.ts';

const policies = readGuidePolicies().filter(({ guide }) => guide === 'policies.md');
const everything: PolicySource = { id: 'everything', effect: 'EFFECT_ALLOW' };

const toSource = ({ name, effect, condition, consensus, time }: GuidePolicy): PolicySource => ({
  id: name,
  effect: `EFFECT_${effect}`,
  condition,
  ...(consensus !== '' && { consensus }),
  ...(time !== '' && { time }),
});

describe('the policies of docs/guide/policies.md', () => {
  test('there are thirty, and every one has its requests', () => {
    expect(policies).toHaveLength(30);
    expect(policies.map(({ name }) => name).sort()).toEqual(Object.keys(policyCases).sort());
  });

  describe.each(policies)('$name', (policy) => {
    const source = toSource(policy);
    const { allowed, refused } = policyCases[policy.name] as (typeof policyCases)[string];
    // A DENY is judged beside a policy that allows everything.
    const set = compilePolicies(policy.effect === 'DENY' ? [source, everything] : [source], policyOptions);

    test('is valid, and has none of the holes that the service warns about', () => {
      expect(checkPolicy(source, policyOptions)).toEqual([]);
      const warnings = lintPolicies([source], policyOptions).filter(({ code }) => code !== 'APPLIES_TO');
      expect(warnings).toEqual([]);
    });

    test('lets through what it is for', () => {
      expect(decide(set, toRequest(allowed))).toMatchObject({ outcome: 'ALLOW' });
    });

    test.each(refused.map((request, index) => [index + 1, request] as const))(
      'refuses what lies next to it: %s',
      (_, request) => {
        expect(decide(set, toRequest(request)).outcome).not.toBe('ALLOW');
      },
    );
  });
});
