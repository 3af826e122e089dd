import { CURRENT_RULES } from '@countersign/judgement';
import { beforeEach, expect, test } from 'vitest';
import type { Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createPrivateKey, errorOf, type Member, madeUpId, signParams } from '../../support/world.ts';
import {
  approve,
  createOrganization,
  createPolicy,
  detailsOf,
  type Organization,
  outcomeOf,
  policyParams,
  recordedAttempt,
  reject,
  someOf,
  submitPending,
  userIs,
} from './support.ts';
import { ethereumTransaction } from './transactions.ts';

const receiver = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const stranger = `0x${'99'.repeat(20)}`;

describeEngines('explanations', (subject) => {
  let organization: Organization;
  let root: Organization['root'];
  let a: Member;
  let b: Member;
  let c: Member;
  let key: string;

  beforeEach(async () => {
    organization = await createOrganization(subject().service.root, { members: 3 });
    root = organization.root;
    [a, b, c] = organization.members as [Member, Member, Member];
    key = await createPrivateKey(root, 'CURVE_SECP256K1', ['ADDRESS_FORMAT_ETHEREUM']);
  });

  const decisionsOf = async (activityId: string): Promise<Json[]> =>
    (await root.data('explainActivity', { activityId })).decisions;
  const evaluationsOf = async (activityId: string): Promise<Json[]> =>
    (await root.data('getPolicyEvaluations', { activityId })).policyEvaluations;

  const pay = (to: string) =>
    a.caller.submit('signTransaction', {
      signWith: key,
      unsignedTransaction: ethereumTransaction({ to }),
      type: 'TRANSACTION_TYPE_ETHEREUM',
    });

  test('a denial says which policy nearly matched and what was missing, down to the values', async () => {
    const condition = `eth.tx.to == '${receiver}' && eth.tx.value < 5`;
    const policyId = await createPolicy(root, 'ALLOW', { condition, consensus: userIs(a) });
    const activityId = recordedAttempt(await pay(stranger)) as string;
    const [decision, ...rest] = await decisionsOf(activityId);
    expect(rest).toEqual([]);
    expect(decision).toMatchObject({ outcome: 'DENY', by: 'IMPLICIT', policyIds: [] });
    const [policy] = decision.explanation.policies;
    expect(policy).toMatchObject({ policyId, effect: 'EFFECT_ALLOW', outcome: 'OUTCOME_DENY_IMPLICIT' });
    const parts = policy.expressions.condition.parts;
    expect(policy.expressions.condition).toMatchObject({ text: condition, value: 'false' });
    expect(parts).toMatchObject([
      { text: `eth.tx.to == '${receiver}'`, value: 'false', parts: [{ text: 'eth.tx.to', value: `'${stranger}'` }] },
      { text: 'eth.tx.value < 5', value: 'true', parts: [{ text: 'eth.tx.value', value: '1' }] },
    ]);
    expect(decision.explanation.changes).toEqual([
      `policy ${policyId} would allow this, but \`eth.tx.to\` was '${stranger}'; it must be '${receiver.toLowerCase()}'`,
    ]);
    expect(decision.text).toContain('DENY (by implicit)');
    expect(decision.text).toContain(`│  ├─ eth.tx.to == '${receiver}' → false\n│  │  └─ eth.tx.to → '${stranger}'`);
    expect(decision.text).toContain('what would change it:\n  - policy');
    expect((await evaluationsOf(activityId)).map((each) => each.activityId)).toEqual([activityId]);
  });

  test('the explanation describes the time of the decision and outlives its policy', async () => {
    const policyId = await createPolicy(root, 'ALLOW', { condition: `eth.tx.to == '${receiver}'` });
    const activityId = (await pay(receiver)).body.activity.id;
    const before = await decisionsOf(activityId);
    await root.result('deletePolicy', { policyId });
    expect(await decisionsOf(activityId)).toEqual(before);
    expect(before[0]).toMatchObject({ outcome: 'ALLOW', by: 'POLICY', policyIds: [policyId] });
    expect(before[0].explanation.changes).toEqual(['a policy with EFFECT_DENY that applies would have denied this']);
    const [{ votes }, [evaluation]] = [await detailsOf(root, activityId), await evaluationsOf(activityId)];
    expect(evaluation).toEqual({
      id: votes[0].id,
      activityId,
      organizationId: organization.id,
      voteId: votes[0].id,
      policyEvaluations: [{ policyId, outcome: 'OUTCOME_ALLOW' }],
      decidedBy: { outcome: 'ALLOW', deciders: [{ by: 'POLICY', policyId }], text: `Allowed by policy ${policyId}` },
      createdAt: votes[0].createdAt,
    });
  });

  test('an explicit denial names its policy, and an evaluation error says why it denies', async () => {
    await createPolicy(root, 'ALLOW', { condition: "activity.action == 'SIGN'" });
    const denial = await createPolicy(root, 'DENY', { condition: 'eth.tx.value >= 1' });
    const denied = recordedAttempt(await pay(receiver)) as string;
    const [first] = await decisionsOf(denied);
    expect(first).toMatchObject({ outcome: 'DENY', by: 'POLICY', policyIds: [denial] });
    expect((await evaluationsOf(denied))[0].policyEvaluations).toEqual(
      expect.arrayContaining([
        { policyId: denial, outcome: 'OUTCOME_DENY_EXPLICIT' },
        { policyId: expect.any(String), outcome: 'OUTCOME_ALLOW' },
      ]),
    );
    await root.result('updatePolicy', { policyId: denial, policyCondition: "eth.tx.contract_call_args['wad'] > 5" });
    const [second] = await decisionsOf(recordedAttempt(await pay(receiver)) as string);
    expect(second.evaluations).toEqual(expect.arrayContaining([{ policyId: denial, outcome: 'OUTCOME_ERROR' }]));
    expect(second.explanation.changes[0]).toContain(`policy ${denial} denies this because its condition could not be evaluated`);
    expect(second.text).toContain('MISSING_FIELD');
  });

  test('every vote has its decision: who is still needed, and in the end what allowed it', async () => {
    const consensus = someOf(2, organization.members);
    const policyId = await createPolicy(root, 'ALLOW', { condition: "activity.action == 'SIGN'", consensus });
    const pending = await submitPending(a.caller, 'signRawPayload', signParams(key));
    await approve(b, pending);
    const [waiting, allowed] = await decisionsOf(pending.id);
    const others = [b, c].map(({ userId }) => userId).sort();
    expect(waiting).toMatchObject({ outcome: 'NEEDS_CONSENSUS', mayApprove: others, policyIds: [] });
    expect(waiting.by).toBeUndefined();
    expect(waiting.explanation.changes).toEqual([
      `one more approval for policy ${policyId} (\`${consensus}\`), by: ${b.userId}, ${c.userId}`,
    ]);
    expect(waiting.text).toMatch(/count\(\) >= 2 → false|→ 1$/m);
    expect(allowed).toMatchObject({ outcome: 'ALLOW', by: 'POLICY', policyIds: [policyId] });
    const { votes } = await detailsOf(root, pending.id);
    const voteIds = votes.map((vote: { id: string }) => vote.id);
    expect([waiting.voteId, allowed.voteId]).toEqual(voteIds);
    const evaluations = await evaluationsOf(pending.id);
    expect(evaluations.map((each) => each.voteId)).toEqual(voteIds);
    expect(evaluations.map((each) => each.policyEvaluations)).toEqual([
      [{ policyId, outcome: 'OUTCOME_REQUIRES_CONSENSUS' }],
      [{ policyId, outcome: 'OUTCOME_ALLOW' }],
    ]);
  });

  test('if no policy is involved, the root quorum is the explanation', async () => {
    const answer = await root.submit('signRawPayload', signParams(key));
    const [alone] = await decisionsOf(answer.body.activity.id);
    expect(alone).toMatchObject({ outcome: 'ALLOW', by: 'ROOT_QUORUM', evaluations: [], text: 'ALLOW (by root quorum)' });

    const { roots } = await createOrganization(subject().service.root, { roots: 2, threshold: 2 });
    const [first, second] = roots as [Member, Member];
    const pending = await submitPending(first.caller, 'updateRootQuorum', { threshold: 1, userIds: [second.userId] });
    const { decisions } = await second.caller.data('explainActivity', { activityId: pending.id });
    expect(decisions[0]).toMatchObject({ outcome: 'NEEDS_CONSENSUS', mayApprove: [second.userId] });
    expect(decisions[0].text).toContain('root quorum: 1 of 2');
    expect(decisions[0].text).toContain(`one more approval for the root quorum, by: ${second.userId}`);
  });

  test('a denial without any policy says that no policy exists', async () => {
    const answer = await a.caller.submit('signRawPayload', signParams(key));
    const [decision] = await decisionsOf(recordedAttempt(answer) as string);
    expect(decision.explanation.changes).toEqual(['no policy with EFFECT_ALLOW could allow this']);
  });

  test('a rejection and a failed execution are explained as well', async () => {
    const consensus = someOf(2, organization.members);
    await createPolicy(root, 'ALLOW', { condition: "activity.action == 'SIGN' || activity.resource == 'POLICY'", consensus });
    const rejected = await submitPending(a.caller, 'signRawPayload', signParams(key));
    await reject(c, rejected);
    expect((await decisionsOf(rejected.id))[1]).toMatchObject({ outcome: 'DENY', by: 'REJECTION', text: 'DENY (by rejection)' });
    const contested = policyParams('DENY', { condition: 'eth.tx.value < 1' });
    const failing = await submitPending(a.caller, 'createPolicy', contested);
    await root.result('createPolicy', contested);
    expect(outcomeOf(await approve(b, failing))).toBe('200 FAILED');
    expect((await decisionsOf(failing.id)).map(({ outcome }) => outcome)).toEqual(['NEEDS_CONSENSUS']);
  });

  test('the stored explanation does not grow with the number of policies that did not match', async () => {
    const policies = Array.from({ length: 60 }, (_, index) =>
      policyParams('ALLOW', { condition: `eth.tx.to == '0x${String(index).padStart(40, '0')}'`, consensus: userIs(a) }),
    );
    await root.result('createPolicies', { policies });
    const denied = recordedAttempt(await pay(stranger)) as string;
    const [decision] = await decisionsOf(denied);
    expect(decision.evaluations).toEqual([]);
    expect(decision.explanation.policies).toHaveLength(10);
    const policyId = await createPolicy(root, 'ALLOW', { condition: `eth.tx.to == '${receiver}'`, consensus: userIs(a) });
    const [allowed] = await decisionsOf((await pay(receiver)).body.activity.id);
    expect(allowed.explanation.policies.map((policy: { policyId: string }) => policy.policyId)).toEqual([policyId]);
  });

  const storedOf = async (activityId: string): Promise<string> => {
    const row = await subject().service.services.store.activities.get(organization.id, activityId);
    return JSON.stringify(JSON.parse(row?.body ?? '').decisions);
  };

  test('a decision stores the rules, the versions, the outcomes and the values that decided', async () => {
    const policyId = await createPolicy(root, 'ALLOW', { condition: `eth.tx.to == '${receiver}' && eth.tx.value < 5` });
    const { version } = (await subject().service.services.organizations.snapshots.current(organization.id)) ?? {};
    const { activity } = (await pay(receiver)).body;
    const { votes } = await detailsOf(root, activity.id);
    const [decision] = JSON.parse(await storedOf(activity.id));
    const { createdAtMs, evaluations, ...rest } = decision;
    expect(JSON.stringify(rest)).toBe(
      `{"version":2,"rules":${CURRENT_RULES},"head":${version},"voteId":"${votes[0].id}","outcome":"ALLOW","by":"POLICY","policyIds":["${policyId}"],` +
        `"values":[{"policyId":"${policyId}","reads":[["eth.tx.to","'${receiver.toLowerCase()}'"],["eth.tx.value","1"]]}]}`,
    );
    expect(createdAtMs).toEqual(expect.any(Number));
    expect(evaluations).toEqual([{ policyId, revision: expect.any(Number), outcome: 'OUTCOME_ALLOW' }]);
  });

  test('D273: a short request does not store a long decision, and its explanation is still available', async () => {
    const addresses = Array.from({ length: 60 }, (_, at) => `eth.tx.to == '0x${String(at).padStart(40, '0')}'`);
    const policies = Array.from({ length: 40 }, (_, at) =>
      policyParams('ALLOW', { condition: `eth.tx.value == ${at} || ${addresses.join(' || ')}`, consensus: userIs(a) }),
    );
    await root.result('createPolicies', { policies });
    const allowed = (await pay(receiver)).body.activity.id as string;
    await root.result('createPolicies', { policies: [policyParams('DENY', { condition: 'eth.tx.value < 5' })] });
    const denied = recordedAttempt(await pay(receiver)) as string;
    for (const activityId of [allowed, denied]) {
      const { length } = await storedOf(activityId);
      const [decision] = await decisionsOf(activityId);
      expect(length).toBeLessThan(12_000);
      expect(JSON.stringify(decision.explanation).length).toBeGreaterThan(10 * length);
    }
  });

  test('D350: a decision of a hundred long policies is at most twenty times as long as its request', async () => {
    const addresses = Array.from({ length: 40 }, (_, at) => `eth.tx.to != '0x${String(at).padStart(40, '0')}'`);
    const policies = Array.from({ length: 100 }, () => policyParams('DENY', { condition: addresses.join(' && ') }));
    await root.result('createPolicies', { policies });
    const denied = recordedAttempt(await pay(receiver)) as string;
    const { body = '' } = (await subject().service.services.store.activities.get(organization.id, denied)) ?? {};
    const [{ message }] = JSON.parse(body).votes;
    expect(body.length).toBeLessThan(20 * message.length);
    const [decision] = await decisionsOf(denied);
    expect(decision).toMatchObject({ outcome: 'DENY', by: 'POLICY', policyCount: 100, evaluatedCount: 100 });
    expect(decision.explanation).toMatchObject({ shortened: true });
    const { policyEvaluations } = await root.data('getPolicyEvaluations', { activityId: denied });
    expect(policyEvaluations).toMatchObject([{ policyEvaluations: { length: 20 }, evaluatedCount: 100 }]);
    expect(decision.text).toContain('shortened: ');
    // The policies that are listed are explained as those of a short decision.
    expect(decision.explanation.policies[0].expressions.condition.parts).toHaveLength(40);
  });

  test("D57: another organization's activity gets the answer of a made-up id", async () => {
    const { root: other } = await createOrganization(subject().service.root);
    const activityId = (await root.submit('signRawPayload', signParams(key))).body.activity.id;
    for (const query of ['explainActivity', 'getPolicyEvaluations'] as const) {
      const unknown = await other.query(query, { activityId: madeUpId() });
      expect(errorOf(unknown)).toEqual({ status: 404, code: 'NOT_FOUND', fields: ['activityId'] });
      expect((await other.query(query, { activityId })).body).toEqual(unknown.body);
    }
  });
});
