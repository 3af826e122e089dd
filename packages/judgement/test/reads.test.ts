import { activities } from '@countersign/contract';
import { authorizeByPolicy } from '@countersign/judgement';
import { describe, expect, test } from 'vitest';
import { judgement, organization, type PolicyText, vote } from './support/world.ts';

const people = [{ id: 'a' }, { id: 'b' }];

function readsOf(policies: Readonly<Record<string, PolicyText>>, params: object = {}) {
  const where = organization(people, policies);
  const asked = judgement(where, [vote('a')], { definition: activities.createWallet, params });
  return authorizeByPolicy.reads(asked, authorizeByPolicy.decide(asked));
}

describe('the values that deciding policies read', () => {
  test('are paths with values, each once, without operands that were not needed', () => {
    const condition = "activity.action == 'CREATE' || activity.resource == 'WALLET'";
    const consensus = 'approvers.count() >= 1 && approvers.count() < 9';
    expect(readsOf({ p: { condition, consensus } })).toEqual([
      {
        policyId: 'p',
        reads: [
          ['activity.action', "'CREATE'"],
          ['approvers', expect.stringContaining('id')],
        ],
      },
    ]);
  });

  test('are those of the policy that a pending request waits for', () => {
    const consensus = "approvers.filter(user, user.id in ['a', 'b']).count() >= 2";
    const [waiting, ...rest] = readsOf({ p: { condition: "activity.resource == 'WALLET'", consensus } });
    expect(rest).toEqual([]);
    expect(waiting?.reads.map(([path]) => path)).toEqual(['activity.resource', 'approvers']);
  });

  test('are absent for an implicit denial', () => {
    expect(readsOf({ p: { condition: "activity.action == 'SIGN'" } })).toEqual([]);
  });

  test('D273: are bounded in number and length', () => {
    const text = 'x'.repeat(5_000);
    const condition = `activity.params.wallet_name == '${text}'`;
    const policies = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`p${at}`, { language: 2 as const, condition }]));
    const reads = readsOf(policies, { walletName: text, accounts: [] });
    expect(reads).toHaveLength(8);
    expect(reads[0]?.reads).toEqual([['activity.params.wallet_name', `'${'x'.repeat(95)}…`]]);
  });
});
