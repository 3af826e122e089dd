import { expect, test } from 'vitest';
import { type ApiKey, encodeStamp, newApiKey, stampFields } from '../../support/api-key.ts';
import { type Answer, type Caller, type Json, post } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, createSubOrganization } from '../../support/world.ts';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0';
const SAFARI = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Version/18.1 Safari/604.1';

/** Sends a stamped body as a client that names itself. */
function sendAs(userAgent: string, caller: Caller, path: string, body: string): Promise<Answer> {
  const bytes = Buffer.from(body);
  const stamp = encodeStamp(stampFields(caller.key, bytes));
  return post(caller.url + path, bytes, { 'x-stamp': stamp, 'user-agent': userAgent });
}

async function loginAs(userAgent: string, caller: Caller, key: ApiKey = newApiKey()): Promise<Caller> {
  const body = caller.submitBody('stampLogin', { publicKey: key.publicKey });
  expect((await sendAs(userAgent, caller, caller.submitPath('stampLogin'), body)).status).toBe(200);
  return caller.with({ key });
}

const whoamiAs = (userAgent: string, caller: Caller) =>
  sendAs(userAgent, caller, caller.queryPath('whoami'), JSON.stringify({ organizationId: caller.organizationId }));

async function sessionsOf(reader: Caller, userId: string): Promise<Json[]> {
  const { apiKeys } = (await reader.data('getUser', { userId })).user;
  return apiKeys.filter(({ credential }: Json) => credential.type === 'CREDENTIAL_TYPE_LOGIN');
}

describeEngines('uses of sessions', (subject) => {
  const root = () => subject().service.root;
  const stored = (userId: string) => subject().raw.all('SELECT * FROM session_uses WHERE user_id = ? ORDER BY id, kind', userId);

  test('a session shows what opened it and what used it last, to its holder and in each query about one user', async () => {
    const { caller, userId } = await createMember(root());
    const session = await loginAs(FIREFOX, caller);
    expect((await whoamiAs(SAFARI, session)).status).toBe(200);
    const address = '127.0.0.1';
    const uses = {
      openedFrom: { device: 'Firefox on Windows', address },
      lastUsed: { at: { seconds: expect.stringMatching(/^\d+$/), nanos: '0' }, device: 'Safari on iPhone', address },
    };
    const [shown] = await sessionsOf(session, userId);
    expect(shown).toMatchObject(uses);
    await expect.poll(async () => (await stored(userId)).map(({ kind }) => kind)).toEqual(['opened', 'used']);
    expect(await sessionsOf(root(), userId)).toEqual([shown]);
    expect((await root().data('getApiKey', { apiKeyId: shown.apiKeyId })).apiKey).toEqual(shown);
    const keys: Json[] = (await root().data('getApiKeys', { userId })).apiKeys;
    expect(keys.find(({ apiKeyId }) => apiKeyId === shown.apiKeyId)).toMatchObject(uses);
    // A permanent key shows nothing, and neither does a list of many users.
    expect(keys.find(({ apiKeyId }) => apiKeyId !== shown.apiKeyId)).not.toHaveProperty('lastUsed');
    const all: Json[] = (await root().data('getApiKeys', {})).apiKeys;
    expect(all.some((key) => 'lastUsed' in key || 'openedFrom' in key)).toBe(false);
  });

  test('D1020: a User-Agent of any content is neither stored nor shown, and one of a megabyte is rejected', async () => {
    const { caller, userId } = await createMember(root());
    const hostile = '<img src=x onerror=alert(1)> Ignore previous instructions; \xad';
    await loginAs(hostile, caller);
    const [shown] = await sessionsOf(root(), userId);
    expect(shown.openedFrom).toEqual({ address: '127.0.0.1' });
    await expect.poll(async () => (await stored(userId)).length).toBe(1);
    expect(JSON.stringify([shown, await stored(userId)])).not.toContain('img');
    const long = await whoamiAs('x'.repeat(1_000_000), caller).then(
      ({ status }) => status,
      () => 'closed',
    );
    expect([400, 431, 'closed']).toContain(long);
    expect((await root().query('whoami')).status).toBe(200);
  });

  test('D1021: what was changed, moved to another session or deleted in the database is not shown', async () => {
    const { raw } = subject();
    const { caller, userId } = await createMember(root());
    const [one, other] = [await loginAs(FIREFOX, caller), await loginAs(SAFARI, caller)];
    await expect.poll(async () => (await stored(userId)).length).toBe(2);
    const [first, second] = (await stored(userId)).map(({ id }) => id as string) as [string, string];
    await raw.run('UPDATE session_uses SET body = ? WHERE id = ?', '{"device":"Firefox on Linux"}', first);
    expect((await sessionsOf(root(), userId)).map(({ openedFrom }) => openedFrom?.device)).toEqual([
      undefined,
      'Safari on iPhone',
    ]);
    await raw.run('DELETE FROM session_uses WHERE id = ?', first);
    await raw.run('UPDATE session_uses SET id = ? WHERE id = ?', first, second);
    expect((await sessionsOf(root(), userId)).some((session) => 'openedFrom' in session)).toBe(false);
    // Nothing is decided by it: the sessions work, and can be ended.
    expect((await whoamiAs(FIREFOX, one)).status).toBe(200);
    await other.result('endSessions', {});
    expect(await sessionsOf(root(), userId)).toEqual([]);
  });

  test('D1021: another organization, and a member who may read only their own, see nothing of a session', async () => {
    const { caller: own, organizationId } = await createSubOrganization(root());
    const { caller: other } = await createSubOrganization(root());
    const [ann, bob] = [await createMember(own), await createMember(own)];
    await loginAs(FIREFOX, ann.caller);
    expect((await other.with({ organizationId }).query('getUser', { userId: ann.userId })).status).not.toBe(200);
    await own.result('setOrganizationFeature', { name: 'FEATURE_NAME_READ_POLICIES', value: '' });
    for (const query of ['getUser', 'getApiKeys'] as const)
      expect((await bob.caller.query(query, { userId: ann.userId })).status).toBe(403);
    expect(await sessionsOf(ann.caller, ann.userId)).toMatchObject([{ openedFrom: { device: 'Firefox on Windows' } }]);
  });

  test('D1023: the database forgets a session that was ended', async () => {
    const { caller, userId } = await createMember(root());
    const session = await loginAs(FIREFOX, caller);
    await whoamiAs(FIREFOX, session);
    await expect.poll(async () => (await stored(userId)).length).toBe(2);
    await caller.result('endSessions', {});
    await expect.poll(async () => (await stored(userId)).length).toBe(0);
  });
});
