import { decidedBy } from '@countersign/judgement';
import { describe, expect, test } from 'vitest';

const nameOf = (id: string) => (id === 'p1' ? 'Pay "x"' : undefined);
const decision = (change: object) => ({ outcome: 'ALLOW' as const, policyIds: [], evaluations: [], ...change });

describe('what a decision followed from', () => {
  test.each([
    [{ by: 'POLICY', policyIds: ['p1', 'gone'] }, String.raw`Allowed by policy "Pay \"x\"" (p1), policy gone`],
    [{ by: 'ROOT_QUORUM' }, 'Allowed by the root quorum'],
    [{ outcome: 'DENY', by: 'IMPLICIT' }, 'Denied because no policy allows it'],
    [{ outcome: 'DENY', by: 'REJECTION' }, 'Rejected by a vote'],
    [{ outcome: 'NEEDS_CONSENSUS' }, 'The root quorum must approve it'],
    [
      { outcome: 'NEEDS_CONSENSUS', evaluations: [{ policyId: 'p1', outcome: 'OUTCOME_REQUIRES_CONSENSUS' }] },
      String.raw`Approvals are demanded by policy "Pay \"x\"" (p1)`,
    ],
    [
      { outcome: 'NEEDS_CONSENSUS', policyIds: ['p1'] },
      String.raw`Denied by policy "Pay \"x\"" (p1) unless the root quorum approves it`,
    ],
    [
      { outcome: 'NEEDS_CONSENSUS', evaluations: [{ policyId: 'p1', outcome: 'OUTCOME_ALLOW' }] },
      'Further authentication is demanded by the MFA policies of an approver',
    ],
  ])('%j', (change, text) => {
    expect(decidedBy(decision(change) as never, nameOf).text).toBe(text);
  });

  test('names at most ten policies', () => {
    const policyIds = Array.from({ length: 12 }, (_, index) => `q${index}`);
    const { deciders, text } = decidedBy(decision({ by: 'POLICY', policyIds }), nameOf);
    expect(deciders).toHaveLength(12);
    expect(text).toMatch(/q9 and 2 more$/);
  });
});
