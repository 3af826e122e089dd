import { builtInProfiles } from '@countersign/contract';
import { expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import {
  apiKeyParams,
  createMember,
  createWallet,
  errorOf,
  madeUpId,
  signParams,
  uniqueName,
  userParams,
} from '../../support/world.ts';
import { ownOrganization } from '../ip-allowlists/support.ts';
import { approve, createOrganization, createPolicy, memberAt, outcomeOf, reject, submitPending } from '../policies/support.ts';
import { keysOf, login, readWriteSession } from '../sign-in/sessions-support.ts';
import { newTarget } from '../sign-in/transfer-support.ts';

const NO_EXPORT = "activity.action != 'EXPORT'";

describeEngines('session profiles', (subject) => {
  const first = () => subject().service.root;

  async function createProfile(scope: string, more: object = {}): Promise<string> {
    const params = { sessionProfileName: uniqueName('Profile'), scope, ...more };
    return (await first().result('createSessionProfile', params)).sessionProfileId;
  }

  /** The root user of a sub-organization, alone in its quorum, with a wallet and a session under a profile. */
  async function limited(scope: string, more: object = {}) {
    const sessionProfileId = await createProfile(scope, more);
    const organization = await createOrganization(first(), { members: 1 });
    const { root } = organization;
    const { walletId, addresses } = await createWallet(root);
    const session = await login(root, { sessionProfileId });
    return { ...organization, sessionProfileId, session, walletId, address: addresses[0] as string };
  }

  const exportOf = (walletId: string) => ({ walletId, targetPublicKey: newTarget().hex });
  const refused = { status: 403, code: 'POLICY_DENIED' };

  test('A18: a session can do only what its profile allows, even if its user alone is the root quorum', async () => {
    const { session, walletId, address } = await limited(NO_EXPORT);
    await session.result('signRawPayload', signParams(address));
    const answer = await session.submit('exportWallet', exportOf(walletId));
    expect(errorOf(answer)).toMatchObject(refused);
    expect(answer.body.message).toContain('the profile of this session');
    expect((await session.data('whoami')).organizationId).toBe(session.organizationId);
  });

  test('A18: cannot change credentials, users, policies or the quorum unless its profile names them', async () => {
    const { session, root, roots, walletId } = await limited(NO_EXPORT);
    const userId = roots[0]?.userId ?? '';
    const attempts = [
      ['createApiKeys', { userId, apiKeys: [apiKeyParams(newApiKey())] }],
      ['createUsers', { users: [userParams(newApiKey())] }],
      ['updateUser', { userId, userEmail: 'attacker@example.com' }],
      ['createPolicy', { policyName: uniqueName('Policy'), effect: 'EFFECT_ALLOW', notes: '' }],
      ['updateRootQuorum', { threshold: 1, userIds: [userId] }],
      ['setOrganizationFeature', { name: 'FEATURE_NAME_SESSION_SELF_SERVICE', value: '' }],
    ] as const;
    for (const [name, params] of attempts) {
      const answer = await session.submit(name, params);
      expect({ name, ...errorOf(answer) }).toMatchObject({ name, ...refused });
      expect(answer.body.message).toContain('does not name it');
      expect({ name, status: (await root.submit(name, params)).status }).toEqual({ name, status: 200 });
    }
    expect(errorOf(await session.submit('exportWallet', exportOf(walletId)))).toMatchObject(refused);
  });

  test('a scope that names such a change allows it', async () => {
    const { session } = await limited("activity.kind == 'CREATE_USERS'");
    await session.result('createUsers', { users: [userParams(newApiKey())] });
  });

  test('A18: sessions that it opens inherit the profile', async () => {
    const { session, root, roots, sessionProfileId, walletId } = await limited(NO_EXPORT);
    const other = await createProfile("activity.action == 'EXPORT'");
    const asked = await session.submit('stampLogin', { publicKey: newApiKey().publicKey, sessionProfileId: other });
    expect(errorOf(asked)).toMatchObject({ ...refused, fields: ['sessionProfileId'] });
    for (const opened of [await login(session), await readWriteSession(session), await login(session, { sessionProfileId })])
      expect(errorOf(await opened.submit('exportWallet', exportOf(walletId)))).toMatchObject(refused);
    const profiles = (await keysOf(root, roots[0]?.userId ?? '')).map(({ credential }) => credential.sessionProfileId);
    expect(profiles).toEqual([undefined, sessionProfileId, sessionProfileId, sessionProfileId, sessionProfileId]);
  });

  test('A18: cannot vote on activities that it could not submit', async () => {
    const { session, root, members, walletId, address } = await limited(NO_EXPORT);
    const { caller } = memberAt({ members }, 0);
    await createPolicy(root, 'ALLOW', {
      condition: "activity.action in ['EXPORT', 'SIGN']",
      consensus: 'approvers.count() >= 2',
    });
    const waiting = await submitPending(caller, 'exportWallet', exportOf(walletId));
    for (const vote of [approve, reject]) expect(errorOf(await vote({ caller: session }, waiting))).toMatchObject(refused);
    const again = await session.send(waiting.path, waiting.body);
    expect(errorOf(again)).toMatchObject(refused);
    const signing = await submitPending(caller, 'signRawPayload', signParams(address));
    expect(outcomeOf(await approve({ caller: session }, signing))).toBe('200 COMPLETED');
  });

  test('A18: an evaluation error of the scope denies', async () => {
    const { session, address } = await limited("activity.params.user_id == 'nobody' || activity.action == 'SIGN'");
    expect(errorOf(await session.submit('signRawPayload', signParams(address)))).toMatchObject(refused);
  });

  test('the profile sets the lifetime, and the token names the profile', async () => {
    const name = 'Signing ÿ>?~';
    const scope = "activity.kind == 'SIGN_RAW_PAYLOAD' || activity.action == 'SIGN'";
    const { sessionProfileId } = await first().result('createSessionProfile', {
      sessionProfileName: name,
      scope,
      expirationSeconds: '1234',
    });
    const { root } = await createOrganization(first());
    const publicKey = newApiKey().publicKey;
    const { session } = await root.result('stampLogin', { publicKey, sessionProfileId, expirationSeconds: '900' });
    const payload = session.split('.')[1];
    expect(payload).not.toMatch(/[-_]/);
    const claims = JSON.parse(atob(payload));
    expect(claims).toMatchObject({ session_type: name, session_profile_id: sessionProfileId, scope, public_key: publicKey });
    const [key] = (await keysOf(root, claims.user_id)).filter(({ credential }) => credential.sessionProfileId);
    expect(key).toMatchObject({ expirationSeconds: '1234', credential: { sessionProfileId, publicKey } });
  });

  test('profiles belong to top-level organizations, are validated at creation, and are listed', async () => {
    const caller = first().with({ dialect: 'turnkey' });
    const { root } = await createOrganization(first());
    const params = { sessionProfileName: uniqueName('Profile'), scope: NO_EXPORT, notes: 'none' };
    expect(errorOf(await root.submit('createSessionProfile', params))).toMatchObject({
      status: 400,
      code: 'ACTIVITY_CALLER_INVALID',
    });
    const { sessionProfileId } = await caller.result('createSessionProfile', params);
    const { sessionProfile } = await caller.data('getSessionProfile', { sessionProfileId });
    expect(sessionProfile).toMatchObject({ sessionProfileId, ...params });
    expect((await caller.data('getSessionProfiles')).sessionProfiles).toContainEqual(sessionProfile);
    // The built-in profiles are in the whole list, and marked. A page contains only those of the organization.
    for (const own of [caller, root.with({ dialect: 'turnkey' })]) {
      const { sessionProfiles } = await own.data('getSessionProfiles');
      const builtIn = sessionProfiles.filter((each: Json) => each.builtIn);
      expect(builtIn).toMatchObject(Object.values(builtInProfiles));
      for (const each of builtIn)
        expect((await own.data('getSessionProfile', { sessionProfileId: each.sessionProfileId })).sessionProfile).toEqual(each);
      const page = (await own.data('getSessionProfiles', { paginationOptions: { limit: '100' } })).sessionProfiles;
      expect(page.some((each: Json) => each.builtIn)).toBe(false);
    }
    expect(errorOf(await root.query('getSessionProfile', { sessionProfileId }))).toMatchObject({ status: 404 });
    const bad = [
      [{ ...params }, 'NAME_TAKEN', 'sessionProfileName'],
      [{ ...params, sessionProfileName: uniqueName('P'), scope: "activity.action = 'SIGN'" }, 'POLICY_INVALID', 'scope'],
      [{ ...params, sessionProfileName: uniqueName('P'), scope: "eth.tx.to == '0x00'" }, 'POLICY_INVALID', 'scope'],
      [{ ...params, sessionProfileName: uniqueName('P'), scope: "wallet.id == 'x'" }, 'REQUEST_INVALID', 'scope'],
      [
        { ...params, sessionProfileName: uniqueName('P'), expirationSeconds: '999999999' },
        'REQUEST_INVALID',
        'expirationSeconds',
      ],
    ] as const;
    for (const [wrong, code, field] of bad)
      expect(errorOf(await first().submit('createSessionProfile', wrong))).toMatchObject({ code, fields: [field] });
  });

  test('A18: a profile of another top-level organization is unknown', async () => {
    const foreign = await ownOrganization(subject().service);
    const { sessionProfileId } = await foreign.root.result('createSessionProfile', {
      sessionProfileName: uniqueName('Profile'),
      scope: 'true',
    });
    const { root } = await createOrganization(first());
    for (const id of [sessionProfileId, madeUpId()]) {
      const answer = await root.submit('stampLogin', { publicKey: newApiKey().publicKey, sessionProfileId: id });
      expect(errorOf(answer)).toEqual({ status: 404, code: 'NOT_FOUND', fields: ['sessionProfileId'] });
    }
  });

  test('a policy decides who may create a profile', async () => {
    const { caller }: { caller: Caller } = await createMember(first());
    const params = { sessionProfileName: uniqueName('Profile'), scope: 'true' };
    expect(errorOf(await caller.submit('createSessionProfile', params))).toMatchObject(refused);
  });
});
