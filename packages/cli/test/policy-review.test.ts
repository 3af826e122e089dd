import { expect, test } from 'vitest';
import { reviewPolicies } from '../src/policy/review.ts';

const policy = (policyId: string, condition: string) => ({
  policyId,
  policyName: policyId,
  effect: 'EFFECT_ALLOW' as const,
  condition,
});

test('D416: a stored policy that allows less than before is listed with a request whose decision changes', () => {
  const reviewed = reviewPolicies(
    [
      // Mentions the type without demanding it.
      policy('not legacy', "activity.kind == 'SIGN_TRANSACTION' && eth.tx.type != 'LEGACY'"),
      policy('all creations', "activity.action == 'CREATE'"),
      policy('policies by name', "activity.kind == 'CREATE_POLICY'"),
      policy('wallets', "activity.kind == 'CREATE_WALLET'"),
    ],
    Date.now(),
  );
  expect(reviewed.map(({ policyName }) => policyName)).toEqual(['not legacy', 'all creations']);
  expect(reviewed[0]?.changes.map(({ request }) => request)).toContain('ethereum/delegation');
  expect(reviewed[1]?.changes.map(({ request }) => request)).toContain('administration/create-policy');
});
