import { beforeAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import {
  apiKeyParams,
  createPrivateKey,
  errorOf,
  ethereumAccount,
  type Member,
  privateKeyParams,
  signParams,
  uniqueName,
  userParams,
} from '../../support/world.ts';
import {
  createOrganization,
  createPolicy,
  detailsOf,
  memberAt,
  type Organization,
  outcomeOf,
  policyParams,
  recordedAttempt,
  userIs,
} from './support.ts';

describeEngines('decisions', (subject) => {
  let organization: Organization;
  let root: Organization['root'];
  let user: Member;
  let other: Member;
  let key: string;

  beforeAll(async () => {
    organization = await createOrganization(subject().service.root, { members: 2 });
    root = organization.root;
    user = memberAt(organization, 0);
    other = memberAt(organization, 1);
    key = await createPrivateKey(root);
  });

  const sign = ({ caller }: Pick<Member, 'caller'>, signWith = key) => caller.submit('signRawPayload', signParams(signWith));

  test('without a policy a user may do nothing, and the attempt is stored as a failed activity', async () => {
    const answer = await sign(user);
    expect(errorOf(answer)).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
    expect(answer.body.message).toContain('no policy allows it');
    const attempt = await detailsOf(root, recordedAttempt(answer) as string);
    expect(attempt).toMatchObject({
      status: 'ACTIVITY_STATUS_FAILED',
      result: {},
      failure: { code: 7, message: answer.body.message },
      votes: [{ userId: user.userId, selection: 'VOTE_SELECTION_APPROVED' }],
    });
  });

  test('repeating a denied body returns the same denied activity', async () => {
    const body = user.caller.submitBody('signRawPayload', signParams(key));
    const path = user.caller.submitPath('signRawPayload');
    const first = await user.caller.send(path, body);
    const second = await user.caller.send(path, body);
    expect(second.status).toBe(403);
    expect(second.body).toEqual(first.body);
    // A caller with permission gets the same activity: it has ended.
    expect((await root.send(path, body)).body).toEqual(first.body);
  });

  test('an ALLOW allows what it names to the users it names, and nothing else', async () => {
    const condition = `activity.action == 'SIGN' && private_key.id == '${key}'`;
    const policyId = await createPolicy(root, 'ALLOW', { condition, consensus: userIs(user) });
    const elsewhere = await createPrivateKey(root);
    expect(outcomeOf(await sign(user))).toBe('200 COMPLETED');
    expect(outcomeOf(await sign(user, elsewhere))).toBe('403 POLICY_DENIED');
    expect(outcomeOf(await sign(other))).toBe('403 POLICY_DENIED');
    const wallet = { walletName: uniqueName('Wallet'), accounts: [ethereumAccount(0)] };
    expect(outcomeOf(await user.caller.submit('createWallet', wallet))).toBe('403 POLICY_DENIED');
    await root.result('deletePolicy', { policyId });
    expect(outcomeOf(await sign(user))).toBe('403 POLICY_DENIED');
  });

  test('D50: a DENY beats an ALLOW, in any order of creation', async () => {
    const condition = "activity.action == 'SIGN'";
    for (const order of [
      ['ALLOW', 'DENY'],
      ['DENY', 'ALLOW'],
      ['ALLOW', 'DENY', 'ALLOW'],
    ] as const) {
      const made: { id: string; effect: string }[] = [];
      for (const effect of order)
        made.push({ id: await createPolicy(root, effect, { condition, consensus: userIs(user) }), effect });
      const answer = await sign(user);
      const denial = made.find(({ effect }) => effect === 'DENY')?.id;
      expect(outcomeOf(answer), order.join()).toBe('403 POLICY_DENIED');
      expect(answer.body.message).toContain(`policy engine denied request explicitly: policy ${denial}`);
      for (const { id, effect } of made) if (effect === 'DENY') await root.result('deletePolicy', { policyId: id });
      expect(outcomeOf(await sign(user)), order.join()).toBe('200 COMPLETED');
      for (const { id, effect } of made) if (effect === 'ALLOW') await root.result('deletePolicy', { policyId: id });
    }
  });

  test('no policy binds a root quorum of one', async () => {
    const policyId = await createPolicy(root, 'DENY');
    expect(outcomeOf(await root.submit('signRawPayload', signParams(key)))).toBe('200 COMPLETED');
    await root.result('deletePolicy', { policyId });
  });

  describe('D54: privilege escalation', () => {
    test('users change their own credentials, and nobody else’s', async () => {
      const keys = (userId: string) => ({ userId, apiKeys: [apiKeyParams(newApiKey())] });
      const own = await user.caller.submit('createApiKeys', keys(user.userId));
      expect(outcomeOf(own)).toBe('200 COMPLETED');
      expect(outcomeOf(await user.caller.submit('createApiKeys', keys(other.userId)))).toBe('403 POLICY_DENIED');
      const rootId = organization.roots[0]?.userId as string;
      expect(outcomeOf(await user.caller.submit('createApiKeys', keys(rootId)))).toBe('403 POLICY_DENIED');
      const [apiKeyId] = own.body.activity.result.activity.result.createApiKeysResult.apiKeyIds;
      const remove = { userId: user.userId, apiKeyIds: [apiKeyId] };
      expect(outcomeOf(await other.caller.submit('deleteApiKeys', remove))).toBe('403 POLICY_DENIED');
      expect(outcomeOf(await user.caller.submit('deleteApiKeys', remove))).toBe('200 COMPLETED');
    });

    test('a DENY forbids even that', async () => {
      const policyId = await createPolicy(root, 'DENY', {
        condition: `activity.resource == 'CREDENTIAL' && activity.params.user_id == '${user.userId}'`,
      });
      const keys = ({ userId }: Member) => ({ userId, apiKeys: [apiKeyParams(newApiKey())] });
      expect(outcomeOf(await user.caller.submit('createApiKeys', keys(user)))).toBe('403 POLICY_DENIED');
      expect(outcomeOf(await other.caller.submit('createApiKeys', keys(other)))).toBe('200 COMPLETED');
      await root.result('deletePolicy', { policyId });
    });

    test('no user changes policies, users or the quorum without a policy that allows it', async () => {
      const attempts = [
        () => user.caller.submit('createPolicy', policyParams('ALLOW')),
        () => user.caller.submit('createPrivateKeys', { privateKeys: [privateKeyParams('CURVE_SECP256K1')] }),
        () => user.caller.submit('updateRootQuorum', { threshold: 1, userIds: [user.userId] }),
        () => user.caller.submit('createUsers', { users: [userParams(newApiKey())] }),
        () => user.caller.submit('createUserTag', { userTagName: uniqueName('Tag'), userIds: [user.userId] }),
        () => user.caller.submit('updateUser', { userId: user.userId, userTagIds: [] }),
      ];
      for (const attempt of attempts) expect(outcomeOf(await attempt())).toBe('403 POLICY_DENIED');
    });

    test('a policy cannot grant what only the root quorum may do', async () => {
      const policyId = await createPolicy(root, 'ALLOW', { consensus: userIs(user) });
      expect(outcomeOf(await user.caller.submit('createPrivateKeys', { privateKeys: [privateKeyParams('CURVE_P256')] }))).toBe(
        '200 COMPLETED',
      );
      const answer = await user.caller.submit('updateRootQuorum', { threshold: 1, userIds: [user.userId] });
      expect(outcomeOf(answer)).toBe('403 POLICY_DENIED');
      expect(answer.body.message).toContain('only the root quorum may do this');
      expect((await root.data('getOrganizationConfigs')).configs.quorum.userIds).toEqual([organization.roots[0]?.userId]);
      await root.result('deletePolicy', { policyId });
    });
  });

  test('a policy applies within its time window', async () => {
    const compatible = root.with({ dialect: 'turnkey' });
    const condition = "activity.action == 'SIGN'";
    const past = { ...policyParams('ALLOW', { condition }), time: "time.now < Timestamp('2020-01-01T00:00:00Z')" };
    const { policyId } = await compatible.result('createPolicy', past);
    const status = async () => {
      const { statuses } = await compatible.data('getActivePolicies');
      return statuses.find((each: { policyId: string }) => each.policyId === policyId);
    };
    const base = { organizationId: root.organizationId, policyId };
    expect(outcomeOf(await sign(user))).toBe('403 POLICY_DENIED');
    expect(await status()).toEqual({ ...base, active: false, timeExpr: past.time });
    const since = "time.now > Timestamp('2020-01-01T00:00:00Z')";
    await compatible.result('updatePolicy', { policyId, time: since });
    expect(outcomeOf(await sign(user))).toBe('200 COMPLETED');
    expect(await status()).toEqual({ ...base, active: true, timeExpr: since });
    await compatible.result('updatePolicy', { policyId, time: '' });
    expect(await status()).toEqual({ ...base, active: true });
    await root.result('deletePolicy', { policyId });
  });

  test('D49: a DENY with an evaluation error denies, and a DENY on another kind of request does not apply', async () => {
    const allow = await createPolicy(root, 'ALLOW', { condition: "activity.action == 'SIGN'" });
    const absent = await createPolicy(root, 'DENY', { condition: 'eth.tx.value > 5' });
    expect(outcomeOf(await sign(user))).toBe('200 COMPLETED');
    const faulty = await createPolicy(root, 'DENY', { condition: "private_key.tags[0] == 'cold'" });
    const answer = await sign(user);
    expect(outcomeOf(answer)).toBe('403 POLICY_DENIED');
    expect(answer.body.message).toContain(faulty);
    for (const policyId of [allow, absent, faulty]) await root.result('deletePolicy', { policyId });
  });
});
