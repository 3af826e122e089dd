import { expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { apiKeyParams, createMember, errorOf } from '../../support/world.ts';
import { passkeyParams, sendWithPasskey } from '../catalogue/support/passkeys.ts';
import { addKey, ELSEWHERE, from, HERE, notAllowed, OFFICE, only, ownOrganization } from '../ip-allowlists/support.ts';
import { approve, createOrganization, createPolicy, memberAt, outcomeOf, submitPending } from '../policies/support.ts';
import { ask, keysOf, login, readWriteSession } from '../sign-in/sessions-support.ts';

describeEngines('ending sessions', (subject) => {
  const create = (choice: object = {}) => createOrganization(subject().service.root, { members: 2, ...choice });
  const isAlive = async (caller: Caller) => (await caller.query('whoami')).status === 200;
  const refused = { status: 403, code: 'POLICY_DENIED' };

  test('A19: deleting an API key ends the sessions that were opened with it, and those that they opened', async () => {
    const { root, members } = await create();
    const { caller, userId } = memberAt({ members }, 0);
    const leaked = await addKey(root, userId);
    const [stolen, kept] = [await login(leaked.caller), await login(caller)];
    const renewed = await readWriteSession(await login(stolen));
    const { session: token } = await renewed.result('createReadOnlySession', {});
    expect((await ask(caller, { 'x-session': token })).status).toBe(200);
    await caller.result('deleteApiKeys', { userId, apiKeyIds: [leaked.apiKeyId] });
    expect([await isAlive(stolen), await isAlive(renewed), await isAlive(kept)]).toEqual([false, false, true]);
    expect((await ask(caller, { 'x-session': token })).status).toBe(401);
    expect(await keysOf(root, userId)).toHaveLength(2);
  });

  test('A19: so does deleting a passkey or an intermediate session', async () => {
    const { root, members } = await create();
    const { caller, userId } = memberAt({ members }, 0);
    const passkey = new SoftwareAuthenticator();
    const { authenticatorIds } = await root.result('createAuthenticators', { userId, authenticators: [passkeyParams(passkey)] });
    const key = newApiKey();
    const body = caller.submitBody('stampLogin', { publicKey: key.publicKey });
    expect((await sendWithPasskey(caller, passkey, caller.submitPath('stampLogin'), body)).status).toBe(200);
    const session = caller.with({ key });
    const second = await login(session);
    const [between] = (await keysOf(root, userId)).filter(({ credential }) => credential.publicKey === key.publicKey);
    await caller.result('deleteApiKeys', { userId, apiKeyIds: [between.apiKeyId] });
    expect([await isAlive(session), await isAlive(second)]).toEqual([false, false]);
    const again = newApiKey();
    const next = caller.submitBody('stampLogin', { publicKey: again.publicKey });
    expect((await sendWithPasskey(caller, passkey, caller.submitPath('stampLogin'), next)).status).toBe(200);
    await root.result('deleteAuthenticators', { userId, authenticatorIds });
    expect(await isAlive(caller.with({ key: again }))).toBe(false);
  });

  test('A52: a sign-in that ends other sessions also ends the sessions that these opened, of any type', async () => {
    const { members } = await create();
    const { caller } = memberAt({ members }, 0);
    const [stolen, apart] = [await login(caller), await readWriteSession(caller)];
    const child = await readWriteSession(stolen);
    const { session: token } = await stolen.result('createReadOnlySession', {});
    const mine = await login(caller, { invalidateExisting: true });
    expect([await isAlive(stolen), await isAlive(child)]).toEqual([false, false]);
    expect((await ask(caller, { 'x-session': token })).status).toBe(401);
    expect([await isAlive(mine), await isAlive(apart)]).toEqual([true, true]);
  });

  test('a session that renews itself and ends the others stays valid', async () => {
    const { members } = await create();
    const first = await login(memberAt({ members }, 0).caller);
    const second = await login(first, { invalidateExisting: true });
    expect([await isAlive(first), await isAlive(second)]).toEqual([false, true]);
    expect(await isAlive(await login(second))).toBe(true);
  });

  test('A19: deleting a user ends all sessions that the user opened, also for other users', async () => {
    const { root, roots, members } = await create({ roots: 2 });
    const [, second] = roots;
    const { userId } = memberAt({ members }, 0);
    const opened = await readWriteSession(second?.caller as Caller, { userId });
    expect(await isAlive(opened)).toBe(true);
    await root.result('updateRootQuorum', { threshold: 1, userIds: [roots[0]?.userId] });
    await root.result('deleteUsers', { userIds: [second?.userId] });
    expect(await isAlive(opened)).toBe(false);
    expect((await root.data('getUser', { userId })).user.apiKeys).toHaveLength(1);
  });

  test('A19: a key cannot be deleted if its sessions are the last usable credentials of the quorum', async () => {
    const { root, roots } = await create();
    const userId = roots[0]?.userId ?? '';
    const session = await login(root);
    const [{ apiKeyId }] = await keysOf(root, userId);
    const answer = await session.submit('deleteApiKeys', { userId, apiKeyIds: [apiKeyId] });
    expect(errorOf(answer)).toMatchObject({ status: 400, code: 'PRECONDITION_FAILED' });
    expect(await isAlive(session)).toBe(true);
  });

  test('A19: a session inherits the IP allowlist of the key that opened it', async () => {
    const { root } = await ownOrganization(subject().service);
    const { userId, caller } = await createMember(root);
    const { key, caller: office } = await addKey(root, userId);
    await root.result('setIpAllowlist', { publicKey: key.publicKey, ...only(OFFICE) });
    const session = await login(from(OFFICE, office));
    const renewed = await login(from(OFFICE, session));
    for (const each of [session, renewed]) {
      expect((await from(OFFICE, each).query('whoami')).status).toBe(200);
      expect(errorOf(await from(ELSEWHERE, each).query('whoami'))).toMatchObject(notAllowed);
      const publicKey = newApiKey().publicKey;
      expect(errorOf(await from(HERE, each).submit('stampLogin', { publicKey }))).toMatchObject(notAllowed);
    }
    const { session: token } = await from(OFFICE, office).result('createReadOnlySession', {});
    expect(errorOf(await ask(root, { 'x-session': token }))).toMatchObject(notAllowed);
    expect((await from(ELSEWHERE, await login(caller)).query('whoami')).status).toBe(200);
  });

  test('users end their own sessions, all of them or one', async () => {
    const { root, members } = await create();
    const { caller, userId } = memberAt({ members }, 0);
    const [first, second, third] = [await login(caller), await login(caller), await readWriteSession(caller)];
    const { session: token } = await caller.result('createReadOnlySession', {});
    const idOf = async (session: Caller) =>
      (await keysOf(root, userId)).find(({ credential }) => credential.publicKey === session.key.publicKey)?.apiKeyId;
    const apiKeyId = await idOf(first);
    expect(await second.result('endSessions', { apiKeyId })).toEqual({ apiKeyIds: [apiKeyId], readOnlySessions: 0 });
    expect([await isAlive(first), await isAlive(second)]).toEqual([false, true]);
    const { apiKeyIds, readOnlySessions } = await third.result('endSessions', {});
    expect([apiKeyIds.length, readOnlySessions]).toEqual([2, 1]);
    expect([await isAlive(second), await isAlive(third), await isAlive(caller)]).toEqual([false, false, true]);
    expect((await ask(caller, { 'x-session': token })).status).toBe(401);
  });

  test('A20: ending sessions of others needs a policy, and no policy applies to the root quorum', async () => {
    const { root, roots, members } = await create({ roots: 2 });
    const [manager, other] = [memberAt({ members }, 0), memberAt({ members }, 1)];
    const session = await login(other.caller);
    const { userId } = other;
    const [{ apiKeyId }] = (await keysOf(root, userId)).filter(({ credential }) => credential.type === 'CREDENTIAL_TYPE_LOGIN');
    for (const params of [{ userId }, { apiKeyId }, { all: true }])
      expect(errorOf(await manager.caller.submit('endSessions', params))).toMatchObject(refused);
    await createPolicy(root, 'ALLOW', { condition: "activity.resource == 'AUTH' && activity.action == 'DELETE'" });
    const rootSession = await login(roots[1]?.caller as Caller);
    const member = await manager.caller.submit('endSessions', { userId: roots[1]?.userId });
    expect(errorOf(member)).toMatchObject(refused);
    expect(member.body.message).toContain('a member of the root quorum');
    expect(errorOf(await manager.caller.submit('endSessions', { all: true }))).toMatchObject(refused);
    await manager.caller.result('endSessions', { userId });
    expect([await isAlive(session), await isAlive(rootSession)]).toEqual([false, true]);
  });

  test('A20: only the full root quorum ends all sessions of an organization', async () => {
    const { root, roots, members } = await create({ roots: 2, threshold: 2 });
    const sessions = [await login(memberAt({ members }, 0).caller), await login(roots[1]?.caller as Caller)];
    const waiting = await submitPending(root, 'endSessions', { all: true });
    expect(await isAlive(sessions[0] as Caller)).toBe(true);
    expect(outcomeOf(await approve({ caller: roots[1]?.caller as Caller }, waiting))).toBe('200 COMPLETED');
    for (const session of sessions) expect(await isAlive(session)).toBe(false);
    expect(await isAlive(root)).toBe(true);
  });

  test('other keys and foreign sessions are not found', async () => {
    const { root, members } = await create();
    const { userId } = memberAt({ members }, 0);
    const foreign = await create();
    const session = await login(foreign.root);
    const { userId: foreignId } = await session.data('whoami');
    const [{ apiKeyId }] = await keysOf(root, userId);
    const [, theirs] = await keysOf(foreign.root, foreignId);
    for (const id of [apiKeyId, theirs.apiKeyId])
      expect(errorOf(await root.submit('endSessions', { apiKeyId: id }))).toMatchObject({ status: 404, fields: ['apiKeyId'] });
    expect(errorOf(await root.submit('endSessions', { userId: foreignId }))).toMatchObject({ status: 404, fields: ['userId'] });
    expect(errorOf(await root.submit('endSessions', { userId, all: true }))).toMatchObject({ status: 400 });
    await root.result('createApiKeys', { userId, apiKeys: [apiKeyParams(newApiKey())] });
  });
});
