import { beforeAll, expect, test } from 'vitest';
import type { Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, createSubOrganization, createWallet, errorOf, type Member } from '../../support/world.ts';
import { createPolicy, outcomeOf, policyParams, userIs } from './support.ts';
import { ethereumTransaction } from './transactions.ts';

const receiver = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

/** At most so many ether in a window. */
const limit = (threshold: string) => ({
  name: 'Spending',
  identifier: 'spending',
  dataSource: { chainAssetTransfer: { definition: [{ caip19: 'eip155:1/slip44:60', decimals: '18' }] } },
  aggregation: {
    method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM',
    operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
    threshold,
    window: { rolling: { duration: '86400' } },
    groupBy: { organization: {} },
  },
});

describeEngines('backtests of spending limits', (subject) => {
  let root: Member['caller'];
  let a: Member;
  let policyId: string;
  const ids: string[] = [];

  beforeAll(async () => {
    ({ caller: root } = await createSubOrganization(subject().service.root));
    a = await createMember(root);
    const { addresses } = await createWallet(root);
    policyId = await createPolicy(root, 'ALLOW', { condition: `eth.tx.to == '${receiver}'`, consensus: userIs(a) });
    for (const value of [3n, 4n, 2n, 5n, 1n]) {
      const answer = await a.caller.submit('signTransaction', {
        signWith: addresses[0],
        unsignedTransaction: ethereumTransaction({ to: receiver, value: value * 10n ** 18n }),
        type: 'TRANSACTION_TYPE_ETHEREUM',
      });
      expect(outcomeOf(answer)).toBe('200 COMPLETED');
      ids.push(answer.body.activity.id);
    }
  });

  const change = (threshold: string) => ({
    velocityControls: { add: [limit(threshold)] },
    policies: { update: [{ policyId, policyCondition: `eth.tx.to == '${receiver}' && controls.spending` }] },
  });
  const backtest = (fields: object): Promise<Json> => root.data('backtestPolicies', fields);

  test('an added limit counts only activities that it allows', async () => {
    const report = await backtest(change('10'));
    // 3, 7 and 9 are within the limit; 14 is not, and counts nothing, so that 10 is.
    expect(report.flips.map(({ activityId }: Json) => activityId)).toEqual([ids[3]]);
    expect(report.flips[0]).toMatchObject({ before: 'ALLOW', after: 'DENY', decided: 'ALLOW' });
    expect(report.flips[0].explanation).toContain('14 of 10');
    expect(report.unknown).toEqual([]);
    expect(report.notes[0]).toContain('begin with nothing');
    expect((await backtest(change('15'))).flips).toEqual([]);
    expect((await backtest(change('2.5'))).flips.map(({ activityId }: Json) => activityId)).toEqual(
      [0, 1, 3, 4].map((index) => ids[index]),
    );
  });

  test('parts continue counting where the previous one ended, each activity once', async () => {
    const flips: string[] = [];
    let cursor: string | undefined;
    do {
      const fields = { ...change('10'), limit: 1, ...(cursor && { cursor }) };
      const part = await backtest(fields);
      flips.push(...part.flips.map(({ activityId }: Json) => activityId));
      if (cursor !== undefined) {
        const again = errorOf(await root.query('backtestPolicies', fields));
        expect(again).toMatchObject({ code: 'PRECONDITION_FAILED' });
      }
      cursor = part.next;
    } while (cursor !== undefined);
    expect(flips).toEqual([ids[3]]);
  });

  test('refuses an invalid limit, and a policy that names an unknown limit', async () => {
    const refused = async (fields: object) => errorOf(await root.query('backtestPolicies', fields));
    const { velocityControls, policies } = change('10');
    expect(await refused({ policies })).toMatchObject({ code: 'POLICY_INVALID' });
    expect(await refused({ velocityControls: { remove: ['nothing'] } })).toMatchObject({ code: 'NOT_FOUND' });
    const twice = { add: [...velocityControls.add, ...velocityControls.add] };
    expect(await refused({ velocityControls: twice })).toMatchObject({ fields: ['velocityControls.add.1.identifier'] });
    expect(await refused({ policies: { add: [policyParams('ALLOW', { condition: 'controls.nothing' })] } })).toMatchObject({
      code: 'POLICY_INVALID',
    });
  });
});
