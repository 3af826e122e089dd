import { activities } from '@countersign/contract';
import { authorizeByPolicy, CURRENT_RULES, type Judgement } from '@countersign/judgement';
import { describe, expect, test } from 'vitest';
import { control, holding } from '../../judgement/test/support/controls-world.ts';
import { judgement, type PolicyText, vote } from '../../judgement/test/support/world.ts';
import { type RealRequest, requestsOf, signedRequests } from './prove/real-requests.ts';
import { runCli, temporaryFolder } from './run-cli.ts';

const users = [{ id: 'a' }, { id: 'b' }];
const allow = (condition: string): PolicyText => ({ effect: 'EFFECT_ALLOW', condition });
const deny = (condition: string): PolicyText => ({ effect: 'EFFECT_DENY', condition });

async function proveJson(
  policies: readonly PolicyText[],
  properties: readonly object[],
  rootQuorum: object = { threshold: 1, userIds: [] },
) {
  await using folder = await temporaryFolder();
  const named = policies.map((policy, index) => ({ policyName: `p${index}`, ...policy }));
  const file = await folder.write('policies.json', JSON.stringify(named));
  const asked = await folder.write(
    'asked.json',
    JSON.stringify({ users, rootQuorum, properties: properties.map((each) => ({ name: 'x', ...each })) }),
  );
  const { stdout, stderr } = await runCli(['policy', 'prove', file, '--properties', asked, '--json']);
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

/** The decision of the service on a request of user `a`, with a control on transfers and one that counts activities. */
function decide(policies: readonly PolicyText[], { definition, type, params, subject }: RealRequest) {
  const controls = { c1: control(), c2: control({ identifier: 'few', name: 'Few', dataSource: { activityExecution: {} } }) };
  const where = holding(controls, Object.fromEntries(policies.map((policy, index) => [`p${index}`, policy])));
  const request: Judgement = judgement(where, [vote('a')], { rules: CURRENT_RULES, definition, type, params, subject });
  return authorizeByPolicy.decide(request).outcome;
}

const KNOWN = '0x00000000000000000000000000000000000000aa';

function one<T>([first]: readonly T[]): T {
  if (first === undefined) throw new Error('there is none');
  return first;
}

describe('proofs', () => {
  const signed = signedRequests();

  test('D420: a limit on transfers does not exist outside of signing, so no proof relies on it there', async () => {
    const policies = [
      allow("activity.kind == 'EXPORT_WALLET'"),
      deny("activity.kind == 'EXPORT_WALLET' || !controls.daily_usdc"),
    ];
    const request = one(requestsOf(activities.exportWallet, 1, 1));
    expect(decide(policies, request)).toBe('ALLOW');
    const forbid = "activity.kind == 'EXPORT_WALLET'";
    const [result] = await proveJson(policies, [{ forbid, activity: 'EXPORT_WALLET' }]);
    expect(result).toMatchObject({ verdict: 'REFUTED' });
    // In a signing request the control exists or the condition is in error. Both deny.
    const signing = [
      allow("activity.kind == 'SIGN_TRANSACTION'"),
      deny("activity.kind == 'SIGN_TRANSACTION' || !controls.daily_usdc"),
    ];
    expect(await proveJson(signing, [{ forbid: "activity.kind == 'SIGN_TRANSACTION'" }])).toMatchObject([{ verdict: 'PROVEN' }]);
  });

  test('D421: an account can have an address of every chain', async () => {
    const cosmos = one(
      signed.filter(({ subject: { key } }) => key?.kind === 'walletAccount' && key.body.addressFormat.includes('COSMOS')),
    );
    const address = (cosmos.params as { signWith: string }).signWith;
    const policies = [allow(`wallet_account.address in ['${address}', '${KNOWN}']`)];
    const forbid = `wallet_account.address != '${KNOWN}'`;
    expect(decide(policies, cosmos)).toBe('ALLOW');
    const activity = cosmos.definition.name === 'signTransaction' ? 'SIGN_TRANSACTION' : 'SIGN_RAW_PAYLOAD';
    expect(await proveJson(policies, [{ forbid, activity }])).toMatchObject([{ verdict: 'REFUTED' }]);
  });

  test.each(['OP_RETURN', 'UNUSUAL_SCRIPT'])('D422: %s receives coins', async (receiver) => {
    const request = one(signed.filter(({ name }) => name === 'coins in a data output'));
    const among = (receivers: string) => `effects.filter(e, e.kind == 'TRANSFER').any(e, e.to in [${receivers}])`;
    const policies = [allow(among(`'${receiver}', '${KNOWN}'`))];
    expect(decide(policies, request)).toBe('ALLOW');
    expect(await proveJson(policies, [{ forbid: `!${among(`'${KNOWN}'`)}` }])).toMatchObject([{ verdict: 'REFUTED' }]);
  });

  test('D423: a policy without a consensus allows a request whose approvals no longer count', async () => {
    const property = { forbid: 'eth.tx.value <= 1', unless: 'approvers.any(user, true)' };
    const [open, closed] = await Promise.all([
      proveJson([allow('eth.tx.value <= 1')], [property]),
      proveJson([{ ...allow('eth.tx.value <= 1'), consensus: "approvers.any(user, user.id == 'a')" }], [property]),
    ]);
    expect(open).toMatchObject([{ verdict: 'REFUTED', counterExample: { approvers: [] } }]);
    expect(closed).toMatchObject([{ verdict: 'PROVEN' }]);
  });

  test('D423: one member of the root quorum may freeze, and a key sent by mail may recover, without any policy', async () => {
    const results = await proveJson(
      [allow("activity.kind == 'SIGN_TRANSACTION'")],
      [
        { forbid: "activity.kind == 'FREEZE'", activity: 'FREEZE' },
        { forbid: "activity.kind == 'ACCEPT_INVITATION'", activity: 'ACCEPT_INVITATION' },
        { forbid: "activity.kind == 'EXPORT_WALLET'", activity: 'EXPORT_WALLET' },
      ],
      { threshold: 2, userIds: ['a', 'b'] },
    );
    expect(results).toMatchObject([
      { verdict: 'REFUTED', counterExample: { by: 'ROOT_USER' } },
      { verdict: 'UNKNOWN', reason: 'ONE_TIME_KEY' },
      { verdict: 'PROVEN' },
    ]);
  });

  test('D96: the service has to allow a counterexample, with what its policies must name', async () => {
    const wide = allow("activity.action == 'CREATE'");
    const property = { forbid: "activity.kind == 'CREATE_POLICY'", activity: 'CREATE_POLICY' };
    const [guarded, named] = await Promise.all([
      proveJson([wide], [property]),
      proveJson([wide, allow("activity.kind == 'CREATE_POLICY'")], [property]),
    ]);
    expect(guarded).toMatchObject([{ verdict: 'UNKNOWN', reason: 'GUARDED', parts: ['p0'] }]);
    expect(named).toMatchObject([{ verdict: 'REFUTED', counterExample: { policies: ['p1'] } }]);
    // A contract creation is not the only way to violate this property.
    const transaction = [allow("eth.tx.to != '0x00000000000000000000000000000000000000bb'")];
    const [result] = await proveJson(transaction, [{ forbid: `eth.tx.to != '${KNOWN}'` }]);
    expect(result.verdict).toBe('REFUTED');
    expect(result.counterExample.fields['eth.tx.to']).not.toBe('');
  });

  test('D424: amounts that are written alike are not the same on two chains', async () => {
    // USDC has 6 decimals on Ethereum and 18 on BNB Smart Chain.
    const amount = "eth.tx.contract_call_args['amount'] == 5 USDC";
    const policies = [allow(`eth.tx.chain_id == 1 && ${amount}`)];
    const forbid = `eth.tx.chain_id == 1 && !(eth.tx.chain_id == 56 && ${amount}) && eth.tx.value > 1`;
    const [result] = await proveJson(policies, [{ forbid }]);
    expect(result.verdict).not.toBe('PROVEN');
  });

  test('D424: the requester can have any number of tags', async () => {
    const policies = [{ ...allow('eth.tx.value <= 1'), consensus: 'requester.tags.count() >= 2' }];
    const [result] = await proveJson(policies, [{ forbid: 'eth.tx.value <= 1' }]);
    expect(result.verdict).not.toBe('PROVEN');
  });
});
