import { authorizeByPolicy, policySetOf } from '@countersign/judgement';
import { describe, expect, test } from 'vitest';
import { judgement, organization, type PolicyText, vote } from './support/world.ts';

const people = [{ id: 'a' }, { id: 'b' }, { id: 'c' }];
const receiver = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const both = "approvers.filter(user, user.id in ['a', 'b']).count() >= 2";
const onlyTo = { condition: `eth.tx.to == '${receiver}'` };

/** A transaction of `type` to the recipient, submitted by `a` and approved by the others. */
function transaction(
  policies: Record<string, PolicyText>,
  type: string,
  approvers: readonly string[] = ['a'],
  roots: string[] = [],
) {
  const where = organization(people, policies, { threshold: 2, userIds: roots });
  const policy = { type, to: receiver, value: 1n, chain_id: 1n, authorization_list: [] };
  const parsed = { namespace: 'eth.tx', policy, description: '', effects: [], fullyParsed: true, unparsed: [] } as const;
  const votes = approvers.map((id) => vote(id));
  return judgement(where, votes, { subject: { parsed } });
}

describe('policies of an organization', () => {
  test('are compiled once per version', () => {
    const where = organization(people, { p: onlyTo });
    expect(policySetOf(where)).toBe(policySetOf(where));
    expect(policySetOf(organization(people, { p: onlyTo }))).not.toBe(policySetOf(where));
  });

  test('D36: only a policy that names the delegation allows it', () => {
    const decide = (policies: Record<string, PolicyText>, type: string) =>
      authorizeByPolicy.decide(transaction(policies, type)).outcome;
    expect(decide({ p: onlyTo }, 'TYPE_2')).toBe('ALLOW');
    expect(decide({ p: onlyTo }, 'TYPE_4')).toBe('DENY');
    expect(decide({ p: onlyTo, q: { condition: "eth.tx.type == 'TYPE_4'" } }, 'TYPE_4')).toBe('ALLOW');
    expect(decide({ p: { condition: `${onlyTo.condition} && eth.tx.authorization_list.count() == 0` } }, 'TYPE_4')).toBe('ALLOW');
    expect(decide({ p: onlyTo, q: { condition: "eth.tx.type == 'TYPE_3'" } }, 'TYPE_4')).toBe('DENY');
    expect(decide({ p: { condition: "activity.action == 'SIGN'" } }, 'TYPE_4')).toBe('DENY');
  });

  test('D36: a delegation does not wait for approvals that could not allow it', () => {
    const quiet = { ...onlyTo, consensus: both };
    expect(authorizeByPolicy.decide(transaction({ p: quiet }, 'TYPE_2'))).toMatchObject({
      outcome: 'NEEDS_CONSENSUS',
      mayApprove: ['b'],
    });
    expect(authorizeByPolicy.decide(transaction({ p: quiet }, 'TYPE_4'))).toMatchObject({ outcome: 'DENY', by: 'IMPLICIT' });
    const naming = {
      condition: "eth.tx.type == 'TYPE_4'",
      consensus: "approvers.filter(user, user.id in ['a', 'c']).count() >= 2",
    };
    expect(authorizeByPolicy.decide(transaction({ p: quiet, q: naming }, 'TYPE_4'))).toMatchObject({
      outcome: 'NEEDS_CONSENSUS',
      mayApprove: ['c'],
      waiting: [{ by: 'POLICY', policyId: 'q' }],
    });
    expect(authorizeByPolicy.decide(transaction({ p: quiet }, 'TYPE_4', ['a'], ['a', 'c']))).toMatchObject({
      outcome: 'NEEDS_CONSENSUS',
      mayApprove: ['c'],
      waiting: [{ by: 'ROOT_QUORUM' }],
    });
    expect(authorizeByPolicy.decide(transaction({}, 'TYPE_4', ['a', 'c'], ['a', 'c']))).toMatchObject({
      outcome: 'ALLOW',
      by: 'ROOT_QUORUM',
    });
  });

  test('D36: the explanation of such a denial says so', () => {
    const { decision, changes } = authorizeByPolicy.explain(transaction({ p: onlyTo }, 'TYPE_4'));
    expect(decision).toMatchObject({ outcome: 'DENY', by: 'IMPLICIT' });
    expect(changes[0]).toContain('EIP-7702');
  });

  test('an explanation agrees with the decision, also for a subset of policies', () => {
    const policies = {
      far: { condition: `eth.tx.to == '0x${'9'.repeat(40)}'` },
      near: { ...onlyTo, consensus: both },
      denying: { effect: 'EFFECT_DENY' as const, condition: 'eth.tx.value > 5' },
    };
    for (const approvers of [['a'], ['a', 'b'], ['c']]) {
      const judged = transaction(policies, 'TYPE_2', approvers);
      const decision = authorizeByPolicy.decide(judged);
      const asked = decision.evaluations.map(({ policyId }) => policyId);
      for (const explanation of [authorizeByPolicy.explain(judged), authorizeByPolicy.explain(judged, asked)]) {
        expect(explanation.decision).toMatchObject({ outcome: decision.outcome, policyIds: decision.policyIds });
      }
      expect(authorizeByPolicy.explain(judged, asked).policies.map(({ policyId }) => policyId)).toEqual(asked);
      expect(authorizeByPolicy.explain(judged).policies).toHaveLength(3);
    }
  });

  test('a stored policy that no longer type-checks grants nothing as an ALLOW and denies as a DENY', () => {
    const broken = { condition: 'eth.tx.colour == 1' };
    expect(authorizeByPolicy.decide(transaction({ p: broken }, 'TYPE_2'))).toMatchObject({ outcome: 'DENY', by: 'IMPLICIT' });
    const policies = { p: onlyTo, q: { ...broken, effect: 'EFFECT_DENY' as const } };
    expect(authorizeByPolicy.decide(transaction(policies, 'TYPE_2'))).toMatchObject({
      outcome: 'DENY',
      by: 'POLICY',
      policyIds: ['q'],
    });
  });
});
