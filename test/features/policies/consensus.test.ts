import { describe, expect, test } from 'vitest';
import { verifyApiKeyStamp } from '../../../packages/server/src/auth/api-key/api-key-stamp.ts';
import { VerifierCache } from '../../../packages/server/src/auth/api-key/schemes.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { DialectName } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import {
  apiKeyParams,
  createPrivateKey,
  errorOf,
  type Member,
  privateKeyParams,
  signParams,
  uniqueName,
} from '../../support/world.ts';
import {
  approve,
  createOrganization,
  createPolicy,
  detailsOf,
  fingerprintOf,
  memberAt,
  outcomeOf,
  reject,
  someOf,
  submitPending,
  userIs,
} from './support.ts';

describeEngines('consensus', (subject) => {
  /** Two of the first three members have to approve a signature; a fourth member has no vote. */
  async function twoOfThree(dialect: DialectName = 'spec') {
    const organization = await createOrganization(subject().service.root.with({ dialect }), { members: 4 });
    const [a, b, c, outsider] = [0, 1, 2, 3].map((index) => memberAt(organization, index)) as [Member, Member, Member, Member];
    const consensus = someOf(2, [a, b, c]);
    const policyId = await createPolicy(organization.root, 'ALLOW', { condition: "activity.action == 'SIGN'", consensus });
    const key = await createPrivateKey(organization.root);
    return { organization, root: organization.root, a, b, c, outsider, policyId, key };
  }

  describe.each(['spec', 'turnkey'] as const)('two of three, in the dialect %s', (dialect) => {
    test('the second approval runs it, and anyone can verify the votes', async () => {
      const { a, b, outsider, key, root } = await twoOfThree(dialect);
      const pending = await submitPending(a.caller, 'signRawPayload', signParams(key));
      const open = await detailsOf(b.caller, pending.id);
      expect(open).toMatchObject({
        status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED',
        result: {},
        failure: null,
        fingerprint: pending.fingerprint,
        canApprove: true,
        canReject: true,
      });
      expect((await detailsOf(a.caller, pending.id)).canApprove).toBe(false);

      const approval = b.caller.submitBody('approveActivity', { fingerprint: pending.fingerprint });
      const answer = await b.caller.send(b.caller.submitPath('approveActivity'), approval);
      expect(outcomeOf(answer)).toBe('200 COMPLETED');
      expect(answer.body.activity.id).toBe(pending.id);
      const type = dialect === 'spec' ? answer.body.activity.result.activity.type : answer.body.activity.type;
      expect(type).toBe('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2');

      const done = await detailsOf(outsider.caller, pending.id);
      expect(done).toMatchObject({ status: 'ACTIVITY_STATUS_COMPLETED', canApprove: false, canReject: false });
      expect(done.result.signRawPayloadResult).toEqual({
        r: expect.stringMatching(/^[0-9a-f]{64}$/),
        s: expect.stringMatching(/^[0-9a-f]{64}$/),
        v: expect.stringMatching(/^0[01]$/),
      });
      expect(done.votes.map((vote: { userId: string; message: string }) => [vote.userId, vote.message])).toEqual([
        [a.userId, pending.body],
        [b.userId, approval],
      ]);
      for (const { publicKey, signature, scheme, message, selection } of done.votes) {
        expect(selection).toBe('VOTE_SELECTION_APPROVED');
        const stamp = { kind: 'apiKey' as const, publicKey, scheme, signature: Buffer.from(signature, 'hex') };
        const credential = { publicKey, type: 'CREDENTIAL_TYPE_API_KEY_P256' as const };
        expect(verifyApiKeyStamp(stamp, credential, Buffer.from(message), new VerifierCache())).toBe(scheme);
        const altered = Buffer.from(message.replace('organizationId', 'organizationIe'));
        expect(() => verifyApiKeyStamp(stamp, credential, altered, new VerifierCache())).toThrow();
      }
      expect(await countActivities(root.organizationId, 'ACTIVITY_TYPE_APPROVE_ACTIVITY')).toBe(0);
    });

    test('a rejection by a possible approver ends it', async () => {
      const { a, b, c, key } = await twoOfThree(dialect);
      const pending = await submitPending(a.caller, 'signRawPayload', signParams(key));
      const answer = await reject(c, pending);
      expect(outcomeOf(answer)).toBe('200 REJECTED');
      const done = await detailsOf(b.caller, pending.id);
      expect(done).toMatchObject({ status: 'ACTIVITY_STATUS_REJECTED', result: {}, failure: null });
      expect(done.votes.at(-1)).toMatchObject({ userId: c.userId, selection: 'VOTE_SELECTION_REJECTED' });
      for (const late of [await approve(b, pending), await reject(b, pending)]) {
        expect(late.status).toBe(400);
        expect(late.body.message).toContain('The activity has ended (ACTIVITY_STATUS_REJECTED)');
      }
    });
  });

  async function countActivities(organizationId: string, type: string): Promise<number> {
    const rows = await subject().raw.all(
      'SELECT id FROM activities WHERE organization_id = ? AND type = ?',
      organizationId,
      type,
    );
    return rows.length;
  }

  test('the same body stamped by another user is that user’s approval', async () => {
    const { a, b, outsider, key, root } = await twoOfThree();
    const pending = await submitPending(a.caller, 'signRawPayload', signParams(key));
    expect(outcomeOf(await a.caller.send(pending.path, pending.body))).toBe('200 CONSENSUS_NEEDED');
    expect(outcomeOf(await outsider.caller.send(pending.path, pending.body))).toBe('403 POLICY_DENIED');
    const answer = await b.caller.send(pending.path, pending.body);
    expect(outcomeOf(answer)).toBe('200 COMPLETED');
    expect(answer.body.activity.id).toBe(pending.id);
    const { votes } = await detailsOf(root, pending.id);
    expect(votes.map((vote: { userId: string }) => vote.userId)).toEqual([a.userId, b.userId]);
    // Sending the same body later returns the ended activity, and nothing runs again.
    expect((await outsider.caller.send(pending.path, pending.body)).body).toEqual(answer.body);
    expect(await countActivities(root.organizationId, 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2')).toBe(1);
  });

  test('the same holds for activities that change the organization', async () => {
    const organization = await createOrganization(subject().service.root, { members: 3 });
    const [a, b] = [memberAt(organization, 0), memberAt(organization, 1)];
    await createPolicy(organization.root, 'ALLOW', {
      condition: "activity.action == 'CREATE'",
      consensus: someOf(2, organization.members),
    });
    const params = { privateKeys: [privateKeyParams('CURVE_P256')] };
    const pending = await submitPending(a.caller, 'createPrivateKeys', params);
    const answers = await Promise.all([b.caller.send(pending.path, pending.body), b.caller.send(pending.path, pending.body)]);
    expect(answers.map(outcomeOf)).toEqual(['200 COMPLETED', '200 COMPLETED']);
    expect((await a.caller.data('listPrivateKeys')).privateKeys).toHaveLength(1);
  });

  test('D52: a user counts once, however often they vote and with whatever credential', async () => {
    const { a, key, root } = await twoOfThree();
    const second = newApiKey();
    await a.caller.result('createApiKeys', { userId: a.userId, apiKeys: [apiKeyParams(second)] });
    const pending = await submitPending(a.caller, 'signRawPayload', signParams(key));
    const twin = { caller: a.caller.with({ key: second }) };
    for (const again of [await approve(a, pending), await approve(twin, pending)]) {
      expect(outcomeOf(again)).toBe('403 POLICY_DENIED');
      expect(again.body.message).toContain('has already approved the activity');
    }
    expect(outcomeOf(await twin.caller.send(pending.path, pending.body))).toBe('200 CONSENSUS_NEEDED');
    const { status, votes } = await detailsOf(root, pending.id);
    expect([status, votes.length]).toEqual(['ACTIVITY_STATUS_CONSENSUS_NEEDED', 1]);
  });

  test('the same approval sent twice is one approval', async () => {
    const organization = await createOrganization(subject().service.root, { members: 3 });
    const [a, b, c] = organization.members as [Member, Member, Member];
    await createPolicy(organization.root, 'ALLOW', {
      condition: "activity.action == 'SIGN'",
      consensus: someOf(3, organization.members),
    });
    const pending = await submitPending(a.caller, 'signRawPayload', signParams(await createPrivateKey(organization.root)));
    const body = b.caller.submitBody('approveActivity', { fingerprint: pending.fingerprint });
    const send = () => b.caller.send(b.caller.submitPath('approveActivity'), body);
    const answers = await Promise.all([send(), send()]);
    expect(answers.map(outcomeOf)).toEqual(['200 CONSENSUS_NEEDED', '200 CONSENSUS_NEEDED']);
    expect((await detailsOf(a.caller, pending.id)).votes).toHaveLength(2);
    expect(outcomeOf(await approve(c, pending))).toBe('200 COMPLETED');
    expect(outcomeOf(await send())).toBe('200 COMPLETED');
  });

  test('a user without a vote can neither approve nor reject an activity', async () => {
    const { a, b, outsider, key, root } = await twoOfThree();
    const pending = await submitPending(a.caller, 'signRawPayload', signParams(key));
    const before = await countRows(subject().raw);
    for (const answer of [await approve(outsider, pending), await reject(outsider, pending)]) {
      expect(outcomeOf(answer)).toBe('403 POLICY_DENIED');
      expect(answer.body.message).toContain('neither the root quorum nor a policy requires a vote of this user');
    }
    expect(await countRows(subject().raw)).toEqual(before);
    const { status, votes } = await detailsOf(root, pending.id);
    expect([status, votes.length]).toEqual(['ACTIVITY_STATUS_CONSENSUS_NEEDED', 1]);
    expect(outcomeOf(await approve(b, pending))).toBe('200 COMPLETED');
  });

  test('votes on an activity that is already executed are refused, and a late vote gets its own error', async () => {
    const { a, b, c, key, root } = await twoOfThree();
    const body = root.submitBody('signRawPayload', signParams(key));
    const send = () => root.send(root.submitPath('signRawPayload'), body);
    const done = await send();
    expect(outcomeOf(done)).toBe('200 COMPLETED');
    const late = await submitPending(a.caller, 'signRawPayload', signParams(key));
    expect(outcomeOf(await approve(b, late))).toBe('200 COMPLETED');
    for (const vote of [approve, reject]) {
      expect(outcomeOf(await vote(c, { fingerprint: fingerprintOf(body) }))).toBe('404 NOT_FOUND');
      expect(outcomeOf(await vote(c, late))).toBe('400 PRECONDITION_FAILED');
    }
    expect((await send()).body).toEqual(done.body);
  });

  test('the submitter and root users may end a waiting activity', async () => {
    const { a, key, organization } = await twoOfThree();
    const withdrawn = await submitPending(a.caller, 'signRawPayload', signParams(key));
    expect(outcomeOf(await reject(a, withdrawn))).toBe('200 REJECTED');
    const stopped = await submitPending(a.caller, 'signRawPayload', signParams(key));
    expect(outcomeOf(await reject(organization.roots[0] as Member, stopped))).toBe('200 REJECTED');
  });

  test('D53: another organization’s fingerprint gets the answer of a made-up one', async () => {
    const { a, key } = await twoOfThree();
    const elsewhere = await twoOfThree();
    const pending = await submitPending(a.caller, 'signRawPayload', signParams(key));
    const foreign = { caller: elsewhere.b.caller };
    const altered = { fingerprint: fingerprintOf(pending.body.replace('Message', 'message')) };
    for (const vote of [approve, reject]) {
      const unknown = await vote(foreign, { fingerprint: `sha256:${'0'.repeat(64)}` });
      expect(errorOf(unknown)).toEqual({ status: 404, code: 'NOT_FOUND', fields: ['fingerprint'] });
      expect((await vote(foreign, pending)).body).toEqual(unknown.body);
      expect((await vote(a, altered)).body).toEqual(unknown.body);
      expect(errorOf(await vote(a, { fingerprint: pending.fingerprint.toUpperCase() }))).toMatchObject({ status: 400 });
    }
    // A key of another organization's user is unknown here.
    const astray = foreign.caller.with({ organizationId: a.caller.organizationId });
    expect(outcomeOf(await approve({ caller: astray }, pending))).toBe('401 PUBLIC_KEY_NOT_FOUND');
    expect((await detailsOf(a.caller, pending.id)).votes).toHaveLength(1);
  });

  test('users of the parent have no vote in a sub-organization', async () => {
    const { a, key } = await twoOfThree();
    const pending = await submitPending(a.caller, 'signRawPayload', signParams(key));
    const parent = { caller: subject().service.root.with({ organizationId: a.caller.organizationId }) };
    for (const answer of [await approve(parent, pending), await reject(parent, pending)]) {
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
    }
    expect((await detailsOf(a.caller, pending.id)).votes).toHaveLength(1);
  });

  describe('the root quorum', () => {
    test('two of three root users, without any policy', async () => {
      const { roots, id } = await createOrganization(subject().service.root, { roots: 3, threshold: 2 });
      const [a, b, c] = roots as [Member, Member, Member];
      const pending = await submitPending(a.caller, 'createPrivateKeys', { privateKeys: [privateKeyParams('CURVE_P256')] });
      expect(outcomeOf(await approve(c, pending))).toBe('200 COMPLETED');
      expect((await b.caller.data('listPrivateKeys')).privateKeys).toHaveLength(1);
      expect(await countActivities(id, 'ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2')).toBe(1);
    });

    test('a policy lets a single root user do what it names, without the quorum', async () => {
      const organization = await createOrganization(subject().service.root, { roots: 3 });
      const [a] = organization.roots as [Member];
      await createPolicy(a.caller, 'ALLOW', { condition: "activity.action == 'CREATE'", consensus: userIs(a) });
      await a.caller.result('updateRootQuorum', { threshold: 2, userIds: organization.roots.map(({ userId }) => userId) });
      const create = { privateKeys: [privateKeyParams('CURVE_P256')] };
      expect(outcomeOf(await a.caller.submit('createPrivateKeys', create))).toBe('200 COMPLETED');
      const [{ privateKeyId }] = (await a.caller.data('listPrivateKeys')).privateKeys;
      await submitPending(a.caller, 'deletePrivateKeys', { privateKeyIds: [privateKeyId], deleteWithoutExport: true });
    });

    test('after a DENY, root users need their full quorum, and no more', async () => {
      const { roots } = await createOrganization(subject().service.root, { roots: 3 });
      const [a, b] = roots as [Member, Member];
      await createPolicy(a.caller, 'ALLOW', { condition: "activity.action == 'CREATE'", consensus: userIs(a) });
      await createPolicy(a.caller, 'DENY', { condition: "activity.action == 'CREATE'" });
      await a.caller.result('updateRootQuorum', { threshold: 2, userIds: roots.map(({ userId }) => userId) });
      const pending = await submitPending(a.caller, 'createPrivateKeys', { privateKeys: [privateKeyParams('CURVE_P256')] });
      expect(outcomeOf(await approve(b, pending))).toBe('200 COMPLETED');
    });

    test('raising the threshold needs the old quorum, and then applies', async () => {
      const { roots } = await createOrganization(subject().service.root, { roots: 3, threshold: 2 });
      const [a, b, c] = roots as [Member, Member, Member];
      const userIds = roots.map(({ userId }) => userId);
      const key = { privateKeys: [privateKeyParams('CURVE_P256')] };
      const waiting = await submitPending(a.caller, 'createPrivateKeys', key);
      const raise = await submitPending(a.caller, 'updateRootQuorum', { threshold: 3, userIds });
      expect(outcomeOf(await approve(b, raise))).toBe('200 COMPLETED');
      expect((await a.caller.data('getOrganizationConfigs')).configs.quorum).toEqual({ threshold: 3, userIds });
      // Activities that waited before are judged by the current quorum.
      expect(outcomeOf(await approve(b, waiting))).toBe('200 CONSENSUS_NEEDED');
      expect(outcomeOf(await approve(c, waiting))).toBe('200 COMPLETED');
    });

    test('D55: an unreachable quorum is refused, and so is removing its credentials', async () => {
      const { root, roots, members } = await createOrganization(subject().service.root, { roots: 2, members: 1 });
      const userIds = roots.map(({ userId }) => userId);
      const refused = async (params: object) => errorOf(await root.submit('updateRootQuorum', params));
      expect(await refused({ threshold: 3, userIds })).toMatchObject({ status: 400, fields: ['threshold'] });
      expect(await refused({ threshold: 0, userIds })).toMatchObject({ status: 400, fields: ['threshold'] });
      expect(await refused({ threshold: -1, userIds })).toMatchObject({ status: 400, fields: ['threshold'] });
      expect(await refused({ threshold: 1.5, userIds })).toMatchObject({ status: 400, fields: ['threshold'] });
      expect(await refused({ threshold: 1, userIds: [] })).toMatchObject({ status: 400, fields: ['userIds'] });
      expect(await refused({ threshold: 1, userIds: [uniqueName('nobody')] })).toMatchObject({
        status: 404,
        fields: ['userIds.0'],
      });
      expect(await refused({ threshold: 2, userIds: [userIds[0], userIds[0]] })).toMatchObject({
        status: 400,
        fields: ['userIds.1'],
      });
      // A member without a credential does not count towards it.
      const { userIds: bare } = await root.result('createUsers', {
        users: [{ userName: uniqueName('User'), apiKeys: [], authenticators: [], oauthProviders: [], userTags: [] }],
      });
      expect(await refused({ threshold: 2, userIds: [userIds[0], bare[0]] })).toMatchObject({ code: 'PRECONDITION_FAILED' });
      await root.result('updateRootQuorum', { threshold: 2, userIds });
      const own = (await detailsOf(root, (await root.data('listActivities')).activities[0].id)).votes[0].user.apiKeys[0].apiKeyId;
      const removal = await root.submit('deleteApiKeys', { userId: userIds[0], apiKeyIds: [own] });
      expect(errorOf(removal)).toMatchObject({ status: 400, code: 'PRECONDITION_FAILED' });
      expect(members).toHaveLength(1);
    });
  });
});
