import { type Queries, queries } from '@countersign/contract';
import { expect, test } from 'vitest';
import { buildWorld, type World } from '../../support/activity-cases.ts';
import { type Caller, type Json, post } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { queryCases } from '../../support/query-cases.ts';
import { createMember, createSubOrganization, createWallet, errorOf, signParams, uniqueName } from '../../support/world.ts';

type QueryName = keyof Queries;

const denied = { status: 403, code: 'POLICY_DENIED' };
const READ = "activity.action == 'READ'";
const restrict = (root: Caller) => root.result('setOrganizationFeature', { name: 'FEATURE_NAME_READ_POLICIES', value: '' });

/** Creates a policy, by default an ALLOW. */
function policy(root: Caller, condition: string, more: object = {}): Promise<Json> {
  const consensus = 'true';
  return root.result('createPolicy', { policyName: uniqueName('Policy'), effect: 'EFFECT_ALLOW', condition, consensus, ...more });
}

const of = (userId: string) => ({ consensus: `approvers.any(user, user.id == '${userId}')` });

/** A query with the token of a read-only session. */
function askWith(session: string, caller: Caller, name: QueryName) {
  const body = Buffer.from(JSON.stringify({ organizationId: caller.organizationId }));
  return post(caller.url + caller.queryPath(name), body, { 'x-session': session });
}

/** A query about objects of the root user. */
const askFor = (caller: Caller, name: string, world: World) =>
  caller.query(name as QueryName, queryCases[name]?.fields(world) ?? {});

describeEngines('READ policies', (subject) => {
  const top = () => subject().service.root;

  test('D320: a user without rights reads nothing of others once reading is restricted; root users read everything', async () => {
    const { caller: root } = await createSubOrganization(top());
    const world = await buildWorld(root);
    const { caller } = await createMember(root);
    for (const name of Object.keys(queryCases)) {
      const rootAnswer = await askFor(root, name, world);
      expect([name, (await askFor(caller, name, world)).status]).toEqual([name, rootAnswer.status]);
    }
    await restrict(root);
    for (const name of Object.keys(queryCases)) {
      for (const dialect of ['spec', 'turnkey'] as const) {
        const answer = await askFor(caller.with({ dialect }), name, world);
        const isAlwaysRead = 'always' in queries[name as QueryName].reads && answer.status === 200;
        if (name === 'listActivities' || name === 'searchActivities')
          expect(JSON.stringify(answer.body)).not.toContain(world.activityId);
        else if (isAlwaysRead)
          expect(['whoami', 'listPushSubscriptions', 'getDeniedActivityTypes', 'getCallerAddress']).toContain(name);
        else expect([name, answer.status, answer.body.code]).toEqual([name, 403, 7]);
      }
      expect([name, (await askFor(root, name, world)).status]).toEqual([name, 200]);
    }
  });

  test('D320: a policy opens the resource that it names, to the users that it names', async () => {
    const { caller: root } = await createSubOrganization(top());
    await restrict(root);
    const [reader, other] = [await createMember(root), await createMember(root)];
    await policy(root, `${READ} && activity.resource == 'WALLET'`, of(reader.userId));
    await policy(root, "activity.kind == 'GET_SIGN_IN_KEY'", of(reader.userId));
    expect((await reader.caller.query('listWallets')).status).toBe(200);
    expect((await reader.caller.query('getSignInKey')).status).toBe(200);
    expect(errorOf(await reader.caller.query('listUsers'))).toEqual(denied);
    for (const name of ['listWallets', 'getSignInKey', 'listUsers'] as const)
      expect(errorOf(await other.caller.query(name))).toEqual(denied);
  });

  test('D320: a query that shows several resources needs all of them', async () => {
    const { caller: root } = await createSubOrganization(top());
    await restrict(root);
    const { caller, userId } = await createMember(root);
    const { policyId } = await policy(root, `${READ} && activity.resource in ['ORGANIZATION', 'POLICY', 'WALLET']`, of(userId));
    expect(errorOf(await caller.query('getOrganization'))).toEqual(denied);
    expect((await caller.query('getOrganizationConfigs')).status).toBe(200);
    await root.result('deletePolicy', { policyId });
    await policy(root, READ, of(userId));
    expect((await caller.query('getOrganization')).status).toBe(200);
    // SECURITY: the organization contains its users.
    await policy(root, `${READ} && activity.resource == 'USER'`, { effect: 'EFFECT_DENY', ...of(userId) });
    expect(errorOf(await caller.query('getOrganization'))).toEqual(denied);
    expect((await caller.query('listWallets')).status).toBe(200);
  });

  test('D320: policies that do not require reading neither grant nor deny it', async () => {
    const { caller: root } = await createSubOrganization(top());
    await restrict(root);
    const { caller, userId } = await createMember(root);
    await policy(root, 'true', of(userId));
    await policy(root, "activity.resource == 'USER'", of(userId));
    await policy(root, "activity.action != 'SIGN'", of(userId));
    expect(errorOf(await caller.query('listUsers'))).toEqual(denied);
    await policy(root, READ, of(userId));
    await policy(root, "activity.resource == 'USER'", { effect: 'EFFECT_DENY' });
    await policy(root, "activity.action == 'CREATE' && activity.params.users.count() > 3", { effect: 'EFFECT_DENY' });
    await policy(root, 'true', { effect: 'EFFECT_DENY' });
    expect((await caller.query('listUsers')).status).toBe(200);
    expect(errorOf(await caller.submit('createWallet', { walletName: uniqueName('Wallet'), accounts: [] }))).toMatchObject({
      status: 403,
    });
  });

  test('D320: the caller alone must meet the consensus, with the credential that they use', async () => {
    const { caller: root } = await createSubOrganization(top());
    await restrict(root);
    const { caller, userId } = await createMember(root);
    await createMember(root);
    await policy(root, READ, { consensus: 'approvers.count() >= 2' });
    await policy(root, READ, { consensus: "credentials.any(c, c.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')" });
    expect(errorOf(await caller.query('listWallets'))).toEqual(denied);
    await policy(root, READ, { consensus: `credentials.any(c, c.user_id == '${userId}')` });
    expect((await caller.query('listWallets')).status).toBe(200);
    // The token of a read-only session signs nothing, so it is no credential.
    const { session } = await caller.result('createReadOnlySession', {});
    expect((await askWith(session, caller, 'whoami')).status).toBe(200);
    expect(errorOf(await askWith(session, caller, 'listWallets'))).toEqual(denied);
    await policy(root, `${READ} && activity.resource == 'WALLET'`, of(userId));
    expect((await askWith(session, caller, 'listWallets')).status).toBe(200);
  });

  test('D322: users read themselves, their credentials and their activities, and of others neither more nor whether they exist', async () => {
    const { caller: root, userId: rootId } = await createSubOrganization(top());
    const world = await buildWorld(root);
    await restrict(root);
    const { caller, userId } = await createMember(root);
    expect((await caller.data('getUser', { userId })).user.userId).toBe(userId);
    const { apiKeys } = await caller.data('getApiKeys');
    expect(apiKeys).toEqual((await caller.data('getApiKeys', { userId })).apiKeys);
    expect(apiKeys).toHaveLength(1);
    const { apiKeyId } = apiKeys[0];
    expect((await caller.data('getApiKey', { apiKeyId })).apiKey.apiKeyId).toBe(apiKeyId);
    expect((await caller.data('getMfaPolicies', { userId })).mfaPolicies).toEqual([]);
    const foreign: readonly [QueryName, object, object][] = [
      ['getUser', { userId: rootId }, { userId: world.endpointId }],
      ['getApiKeys', { userId: rootId }, { userId: world.endpointId }],
      ['getApiKey', { apiKeyId: world.apiKeyId }, { apiKeyId: world.endpointId }],
      ['getActivity', { activityId: world.activityId }, { activityId: world.endpointId }],
      ['explainActivity', { activityId: world.activityId }, { activityId: world.endpointId }],
      ['getLogProof', { activityId: world.activityId }, { activityId: world.endpointId }],
      ['getMfaStatus', { activityId: world.activityId }, { activityId: world.endpointId }],
      ['getMfaPolicies', { userId: world.userId }, { userId: world.endpointId }],
    ];
    for (const [name, others, unknown] of foreign) {
      const answers = [await caller.query(name, others), await caller.query(name, unknown)];
      expect([name, ...answers.map(errorOf)]).toEqual([name, denied, denied]);
      expect(answers[0]?.body.message).toBe(answers[1]?.body.message);
    }
  });

  test('D322: a denied request does not show its submitter the policies', async () => {
    const { caller: root } = await createSubOrganization(top());
    const { addresses } = await createWallet(root);
    await restrict(root);
    const { caller, userId } = await createMember(root);
    await policy(root, "activity.action == 'SIGN' && activity.params.payload == 'xyzzy-secret-word'", of(userId));
    const body = caller.submitBody('signRawPayload', signParams(addresses[0] as string));
    const answer = await caller.send(caller.submitPath('signRawPayload'), body);
    expect(answer.status).toBe(403);
    expect(JSON.stringify(answer.body)).not.toContain('xyzzy');
    const { activityId } = answer.body.details.find((detail: Json) => detail.activityId);
    const { decisions } = await caller.data('explainActivity', { activityId });
    expect(decisions).toEqual([expect.objectContaining({ outcome: 'DENY', policyIds: [], evaluations: [] })]);
    expect(JSON.stringify(decisions)).not.toContain('xyzzy');
    expect(JSON.stringify(await caller.data('getActivity', { activityId }))).not.toContain('xyzzy');
    // A reader of policies and activities sees them.
    await policy(root, `${READ} && activity.resource in ['ACTIVITY', 'POLICY']`, of(userId));
    expect(JSON.stringify(await caller.data('explainActivity', { activityId }))).toContain('xyzzy');
  });

  test.each(['spec', 'turnkey'] as const)(
    'D322: approvers read what they may approve, not how to reach its voters: %s',
    async (dialect) => {
      const { caller: root } = await createSubOrganization(top());
      const { addresses } = await createWallet(root);
      await restrict(root);
      const [submitter, approver, bystander] = [await createMember(root), await createMember(root), await createMember(root)];
      await root.result('updateUserEmail', { userId: submitter.userId, userEmail: 'submitter@marked.example' });
      const ids = [submitter, approver].map(({ userId }) => `'${userId}'`).join(', ');
      const both = `approvers.filter(user, user.id in [${ids}]).count() >= 2`;
      await policy(root, "activity.action == 'SIGN'", { consensus: both });
      const sent = await submitter.caller.submit('signRawPayload', signParams(addresses[0] as string));
      const activityId = sent.body.activity.id;
      const [reads, not] = [approver.caller.with({ dialect }), bystander.caller.with({ dialect })];
      const { activity } = await reads.data('getActivity', { activityId });
      expect(activity).toMatchObject({ canApprove: true, votes: [{ user: { userId: submitter.userId, apiKeys: [] } }] });
      expect((await reads.data('listActivities')).activities.map(({ id }: Json) => id)).toContain(activityId);
      expect(errorOf(await not.query('getActivity', { activityId })).status).toBe(403);
      expect((await not.data('listActivities')).activities.map(({ id }: Json) => id)).not.toContain(activityId);
      const vote = await reads.submit('approveActivity', { fingerprint: activity.fingerprint });
      for (const shown of [activity, await reads.data('listActivities'), vote.body])
        expect(JSON.stringify(shown)).not.toContain('marked.example');
      expect((await reads.data('getActivity', { activityId })).activity.status).toBe('ACTIVITY_STATUS_COMPLETED');
    },
  );

  test('D323: pages of own activities are complete, in both directions, and adjacent to their cursor', async () => {
    const { caller: root } = await createSubOrganization(top());
    const { caller } = await createMember(root);
    const own: string[] = [];
    for (let index = 0; index < 5; index++) {
      const { body } = await caller.submit('createReadOnlySession', {});
      own.unshift(body.activity.id);
      await createMember(root);
    }
    await restrict(root);
    const page = async (paginationOptions: object) =>
      (await caller.data('listActivities', { paginationOptions })).activities.map(({ id }: Json) => id);
    expect(await page({ limit: '100' })).toEqual(own);
    expect(await page({ limit: '2' })).toEqual(own.slice(0, 2));
    expect(await page({ limit: '2', after: own[1] })).toEqual(own.slice(2, 4));
    expect(await page({ limit: '2', before: own[4] })).toEqual(own.slice(2, 4));
  });

  test('D324: reading is authorized again after a long wait', async () => {
    const { caller: root } = await createSubOrganization(top());
    await restrict(root);
    const { caller, userId } = await createMember(root);
    const { policyId } = await policy(root, `${READ} && activity.resource == 'AUDIT_LOG'`, of(userId));
    const { head } = await caller.data('listLogEntries', { from: '1', limit: '1' });
    const waiting = caller.query('listLogEntries', { from: String(Number(head.sequence) + 20), waitSeconds: '20' });
    await root.result('deletePolicy', { policyId });
    for (let index = 0; index < 20; index++) await root.result('createReadOnlySession', {});
    expect(errorOf(await waiting)).toEqual(denied);
  });
});

describeEngines('reading sub-organizations', (subject) => {
  const top = () => subject().service.root;

  /** A parent below the first organization cannot exist, so these tests share the first organization. */
  test("D321: the parent's setting makes its users' reach into sub-organizations a right", async () => {
    const sub = await createSubOrganization(top());
    await createWallet(sub.caller);
    const { caller, userId } = await createMember(top());
    const inside = caller.with({ organizationId: sub.organizationId });
    expect((await inside.query('listWallets')).status).toBe(200);
    expect((await caller.query('listSuborgs')).status).toBe(200);
    const { session } = await caller.result('createReadOnlySession', {});
    await restrict(top());
    try {
      for (const name of ['listWallets', 'listUsers', 'listActivities', 'getOrganization', 'listAuditRecords'] as const) {
        const answer = await inside.query(name);
        if (name === 'listActivities') expect(answer.body.activity.result.activities).toEqual([]);
        else expect([name, errorOf(answer)]).toEqual([name, denied]);
      }
      expect(errorOf(await askWith(session, inside, 'listWallets'))).toEqual(denied);
      for (const name of ['listSuborgs', 'listVerifiedSuborgs'] as const)
        expect(errorOf(await caller.query(name, { filterType: 'EMAIL', filterValue: 'a@example.com' }))).toEqual(denied);
      expect((await inside.data('whoami')).userId).toBe(userId);

      // A policy for the parent's own objects does not open those of its customers.
      await policy(top(), `${READ} && activity.resource == 'WALLET'`, of(userId));
      expect((await caller.query('listWallets')).status).toBe(200);
      expect(errorOf(await inside.query('listWallets'))).toEqual(denied);
      await policy(top(), `${READ} && activity.resource == 'WALLET' && query.organization == 'SUB_ORGANIZATION'`, of(userId));
      expect((await inside.query('listWallets')).status).toBe(200);
      expect(errorOf(await inside.query('listUsers'))).toEqual(denied);

      // The users of the sub-organization and the root users of the parent are not affected.
      const member = await createMember(sub.caller);
      expect((await member.caller.query('listUsers')).status).toBe(200);
      expect((await top().with({ organizationId: sub.organizationId }).query('listUsers')).status).toBe(200);
    } finally {
      await top().result('removeOrganizationFeature', { name: 'FEATURE_NAME_READ_POLICIES' });
    }
  });

  test("D321: the setting of a sub-organization restricts the parent's users, by the parent's policies", async () => {
    const sub = await createSubOrganization(top());
    const { caller, userId } = await createMember(top());
    const inside = caller.with({ organizationId: sub.organizationId });
    await restrict(sub.caller);
    expect(errorOf(await inside.query('listWallets'))).toEqual(denied);
    expect((await caller.query('listWallets')).status).toBe(200);
    expect((await top().with({ organizationId: sub.organizationId }).query('listWallets')).status).toBe(200);
    // SECURITY: policies of the sub-organization cannot name users of the parent, and do not count for them.
    await policy(sub.caller, READ);
    expect(errorOf(await inside.query('listWallets'))).toEqual(denied);
    const { policyId } = await policy(top(), `${READ} && query.organization == 'SUB_ORGANIZATION'`, of(userId));
    expect((await inside.query('listWallets')).status).toBe(200);
    await top().result('deletePolicy', { policyId });
    expect(errorOf(await inside.query('listWallets'))).toEqual(denied);
  });
});
