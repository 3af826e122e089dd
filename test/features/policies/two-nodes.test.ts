import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { apiKeyParams, createPrivateKey, type Member, signParams, userParams } from '../../support/world.ts';
import {
  approve,
  createOrganization,
  createPolicy,
  detailsOf,
  outcomeOf,
  type Pending,
  policyParams,
  reject,
  someOf,
  submitPending,
  userIs,
} from './support.ts';

describe('two nodes on one PostgreSQL', () => {
  let installation: Installation;
  let nodes: readonly [TestService, TestService];

  beforeAll(async () => {
    installation = await engines.postgres();
    nodes = [await startService(installation), await startService(installation)];
  });
  afterAll(async () => {
    for (const node of nodes ?? []) await node.close();
    await installation?.remove();
  });

  const on = (node: 0 | 1, caller: Caller) => caller.with({ url: nodes[node].url });
  const there = ({ caller, ...member }: Member): Member => ({ ...member, caller: on(1, caller) });

  /** An organization that both nodes have cached. Any two members may sign together. */
  async function warmOrganization() {
    const organization = await createOrganization(nodes[0].root, { members: 4 });
    const { root } = organization;
    const [a, b, c, outsider] = organization.members as [Member, Member, Member, Member];
    const condition = "activity.action == 'SIGN'";
    const policyId = await createPolicy(root, 'ALLOW', { condition, consensus: someOf(2, [a, b, c]) });
    const key = await createPrivateKey(root);
    expect(outcomeOf(await on(1, root).submit('signRawPayload', signParams(key)))).toBe('200 COMPLETED');
    return { organization, root, a, b, c, outsider, policyId, key };
  }

  test('an activity submitted on one node is approved on the other', async () => {
    const { a, b, key, root } = await warmOrganization();
    const pending = await submitPending(a.caller, 'signRawPayload', signParams(key));
    const answer = await approve(there(b), pending);
    expect(outcomeOf(answer)).toBe('200 COMPLETED');
    const { signRawPayloadResult } = answer.body.activity.result.activity.result;
    expect((await detailsOf(root, pending.id)).result).toEqual({ signRawPayloadResult });
  });

  test('the same body on the other node by another user is an approval', async () => {
    const { a, b, key } = await warmOrganization();
    const body = a.caller.submitBody('signRawPayload', signParams(key));
    const send = ({ caller }: Member) => caller.send(caller.submitPath('signRawPayload'), body);
    const answers = await Promise.all([send(a), send(there(b))]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers.map(outcomeOf)).toContain('200 COMPLETED');
    const { votes, status } = await detailsOf(a.caller, answers[0]?.body.activity.id);
    expect([status, votes.length]).toEqual(['ACTIVITY_STATUS_COMPLETED', 2]);
  });

  test('a user, a policy and a permission made on one node are known to the other at once', async () => {
    const { root, key } = await warmOrganization();
    const newcomer = newApiKey();
    const { userIds } = await root.result('createUsers', { users: [userParams(newcomer)] });
    const caller = on(1, root.with({ key: newcomer }));
    expect(outcomeOf(await caller.submit('signRawPayload', signParams(key)))).toBe('403 POLICY_DENIED');
    const member = { userId: userIds[0] as string, caller };
    const policyId = await createPolicy(root, 'ALLOW', { condition: "activity.action == 'SIGN'", consensus: userIs(member) });
    expect(outcomeOf(await caller.submit('signRawPayload', signParams(key)))).toBe('200 COMPLETED');
    expect(outcomeOf(await on(1, root).submit('deletePolicy', { policyId }))).toBe('200 COMPLETED');
    expect(outcomeOf(await root.with({ key: newcomer }).submit('signRawPayload', signParams(key)))).toBe('403 POLICY_DENIED');
  });

  test('a name that one node frees is free on the other', async () => {
    const { root } = await warmOrganization();
    const params = policyParams('ALLOW', { condition: 'eth.tx.value < 1' });
    const { policyId } = await on(1, root).result('createPolicy', params);
    await root.result('deletePolicy', { policyId });
    expect(outcomeOf(await on(1, root).submit('createPolicy', params))).toBe('200 COMPLETED');
  });

  test('D12: a credential removed on one node is refused on the other, and its approval is gone', async () => {
    const { root, a, b, c, key } = await warmOrganization();
    const pending = await submitPending(a.caller, 'signRawPayload', signParams(key));
    const { votes } = await detailsOf(a.caller, pending.id);
    const apiKeyIds = votes[0].user.apiKeys.map(({ apiKeyId }: { apiKeyId: string }) => apiKeyId);
    await root.result('createApiKeys', { userId: a.userId, apiKeys: [apiKeyParams(newApiKey())] });
    await root.result('deleteApiKeys', { userId: a.userId, apiKeyIds });
    expect(outcomeOf(await on(1, a.caller).submit('signRawPayload', signParams(key)))).toBe('401 PUBLIC_KEY_NOT_FOUND');
    expect(outcomeOf(await approve(there(b), pending))).toBe('200 CONSENSUS_NEEDED');
    expect(outcomeOf(await approve(c, pending))).toBe('200 COMPLETED');
  });

  test('a right to vote granted on one node counts on the other', async () => {
    const { root, a, outsider, policyId, key, organization } = await warmOrganization();
    const pending = await submitPending(a.caller, 'signRawPayload', signParams(key));
    expect(outcomeOf(await approve(there(outsider), pending))).toBe('403 POLICY_DENIED');
    await root.result('updatePolicy', { policyId, policyConsensus: someOf(2, organization.members) });
    expect(outcomeOf(await approve(there(outsider), pending))).toBe('200 COMPLETED');
  });

  test('20 races of two approvals that do not complete it: neither is lost', async () => {
    const organization = await createOrganization(nodes[0].root, { members: 4 });
    const [a, b, c, d] = organization.members as [Member, Member, Member, Member];
    await createPolicy(organization.root, 'ALLOW', {
      condition: "activity.action == 'SIGN'",
      consensus: someOf(4, [a, b, c, d]),
    });
    const key = await createPrivateKey(organization.root);
    for (let race = 0; race < 20; race++) {
      const pending = await submitPending(a.caller, 'signRawPayload', signParams(key));
      const answers = await Promise.all([approve(b, pending), approve(there(c), pending)]);
      expect(answers.map(outcomeOf)).toEqual(['200 CONSENSUS_NEEDED', '200 CONSENSUS_NEEDED']);
      const { votes } = await detailsOf(a.caller, pending.id);
      expect(votes.map((vote: { userId: string }) => vote.userId).sort()).toEqual([a, b, c].map(({ userId }) => userId).sort());
      if (race === 0) expect(outcomeOf(await approve(there(d), pending))).toBe('200 COMPLETED');
    }
  });

  test('20 races of an approval on one node against a rejection on the other end in one state', async () => {
    const { a, b, c, key, root } = await warmOrganization();
    for (let race = 0; race < 20; race++) {
      const pending: Pending = await submitPending(a.caller, 'signRawPayload', signParams(key));
      const [first, second] = race % 2 === 0 ? [b, there(c)] : [there(b), c];
      const answers = await Promise.all([approve(first, pending), reject(second, pending)]);
      const { status, votes, result } = await detailsOf(root, pending.id);
      expect(answers.map(outcomeOf)).toEqual(
        status === 'ACTIVITY_STATUS_COMPLETED'
          ? ['200 COMPLETED', '400 PRECONDITION_FAILED']
          : ['400 PRECONDITION_FAILED', '200 REJECTED'],
      );
      expect(votes).toHaveLength(2);
      expect(Object.keys(result)).toHaveLength(status === 'ACTIVITY_STATUS_COMPLETED' ? 1 : 0);
    }
  });
});
