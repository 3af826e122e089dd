import { expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { apiKeyParams, errorOf } from '../../support/world.ts';
import { ownOrganization } from '../ip-allowlists/support.ts';
import { createOrganization, memberAt } from '../policies/support.ts';
import { keysOf, login, readWriteSession } from '../sign-in/sessions-support.ts';
import { newTarget } from '../sign-in/transfer-support.ts';

const DAY = 86_400;
const FEATURE = 'FEATURE_NAME_MAX_SESSION_SECONDS';

describeEngines('session lifetimes', (subject) => {
  const create = (choice: object = {}) => createOrganization(subject().service.root, { members: 1, ...choice });
  const limit = (root: Caller, seconds: number) =>
    root.result('setOrganizationFeature', { name: FEATURE, value: String(seconds) });

  const ways = (expirationSeconds: number) =>
    [
      ['stampLogin', { publicKey: newApiKey().publicKey, expirationSeconds: String(expirationSeconds) }],
      ['createReadWriteSession', { targetPublicKey: newTarget().hex, expirationSeconds: String(expirationSeconds) }],
    ] as const;

  test('A17: a session for 31 years is refused in every operation, and the error names the maximum and its setting', async () => {
    const { root, members } = await create();
    const { caller, userId } = memberAt({ members }, 0);
    await root.result('updateUser', { userId, userEmail: 'someone@example.com' });
    const mails = ['emailAuth', 'initUserEmailRecovery'] as const;
    const mailed = mails.map((name) => [name, mailParams(name)] as const);
    for (const [name, params] of [...ways(999_999_999), ...mailed]) {
      const sender = name === 'emailAuth' || name === 'initUserEmailRecovery' ? root : caller;
      const answer = await sender.submit(name, params);
      expect({ name, ...errorOf(answer) }).toMatchObject({ name, status: 400, fields: ['expirationSeconds'] });
      expect(answer.body.message).toContain('2592000');
      expect(answer.body.message).toContain('maxSessionSeconds');
    }
    expect(await keysOf(root, userId)).toHaveLength(1);
  });

  const mailParams = (name: 'emailAuth' | 'initUserEmailRecovery') => ({
    email: 'someone@example.com',
    targetPublicKey: newTarget().hex,
    expirationSeconds: '999999999',
    ...(name === 'emailAuth' && { apiKeyName: 'Mail' }),
  });

  test('A17: a parent’s maximum lifetime applies to its sub-organizations', async () => {
    const parent = await ownOrganization(subject().service);
    const { root } = await createOrganization(parent.root);
    await limit(parent.root, DAY);
    await limit(root, 2 * DAY);
    for (const [name, params] of ways(DAY + 1))
      expect(errorOf(await root.submit(name, params))).toMatchObject({ status: 400, fields: ['expirationSeconds'] });
    for (const [name, params] of ways(DAY)) expect((await root.submit(name, params)).status).toBe(200);
  });

  test('A17: an organization can lower the operator’s maximum, not raise it', async () => {
    const { root, members } = await create();
    const { caller } = memberAt({ members }, 0);
    await limit(root, DAY);
    for (const [name, params] of ways(DAY + 1)) {
      const answer = await caller.submit(name, params);
      expect(errorOf(answer)).toMatchObject({ status: 400, fields: ['expirationSeconds'] });
      expect(answer.body.message).toContain(`at most ${DAY}`);
      expect(answer.body.message).toContain(FEATURE);
    }
    for (const [name, params] of ways(DAY)) expect((await caller.submit(name, params)).status).toBe(200);
    await limit(root, 999_999_999);
    const [[name, params]] = ways(2_592_001);
    expect(errorOf(await caller.submit(name, params))).toMatchObject({ status: 400, fields: ['expirationSeconds'] });
  });

  test.each(['', '0', '59', '1.5', 'a day', '-60', '1000000000'])('a maximum lifetime of %j is refused', async (value) => {
    const { root } = await create();
    expect(errorOf(await root.submit('setOrganizationFeature', { name: FEATURE, value }))).toMatchObject({
      status: 400,
      fields: ['value'],
    });
  });

  test('A17: renewals end when the first session would have to end', async () => {
    const { root, members } = await create();
    const { caller, userId } = memberAt({ members }, 0);
    // Well below an hour, so that no stamp of the test is too old for the service.
    await limit(root, 2400);
    let stolen = await login(caller, { expirationSeconds: '2400' });
    const { service } = subject();
    try {
      for (const minutes of [10, 20]) {
        service.setAheadMs(minutes * 60_000);
        stolen = await (minutes === 10 ? login(stolen, { expirationSeconds: '2400' }) : readWriteSession(stolen));
      }
      const lifetimes = (await keysOf(root, userId)).flatMap(({ expirationSeconds }) => expirationSeconds || []);
      expect(lifetimes.map(Number).sort((a, b) => a - b)[0]).toBe(900);
      service.setAheadMs(30 * 60_000);
      stolen = await login(stolen, { expirationSeconds: '2400' });
      service.setAheadMs(41 * 60_000);
      expect(errorOf(await stolen.query('whoami'))).toMatchObject({ status: 401 });
      expect(errorOf(await stolen.submit('stampLogin', { publicKey: newApiKey().publicKey }))).toMatchObject({ status: 401 });
    } finally {
      service.setAheadMs(0);
    }
  });

  test('D231: a session with a final end cannot be renewed, by itself or by sessions that it opens', async () => {
    const { root, members } = await create();
    const { caller, userId } = memberAt({ members }, 0);
    const letIn = await login(caller, { expirationSeconds: '600', endsForGood: true });
    const renewed = await login(letIn, { expirationSeconds: '2400' });
    await login(renewed, { expirationSeconds: '2400', endsForGood: true });
    await readWriteSession(renewed, { expirationSeconds: '2400' });
    const lifetimes = (await keysOf(root, userId)).flatMap(({ expirationSeconds }) => expirationSeconds || []);
    expect(lifetimes).toHaveLength(4);
    expect(Math.max(...lifetimes.map(Number))).toBe(600);
    // Nobody else is held to it.
    await login(caller, { expirationSeconds: '2400' });
    expect((await keysOf(root, userId)).map(({ expirationSeconds }) => expirationSeconds)).toContain('2400');
  });

  test('A17: a session does not outlive the expiring API key that opened it', async () => {
    const { root, members } = await create();
    const { caller, userId } = memberAt({ members }, 0);
    const key = newApiKey();
    await root.result('createApiKeys', { userId, apiKeys: [apiKeyParams(key, { expirationSeconds: '600' })] });
    await login(caller.with({ key }), { expirationSeconds: '3600' });
    const [session] = (await keysOf(root, userId)).filter(({ credential }) => credential.type === 'CREDENTIAL_TYPE_LOGIN');
    expect(Number(session.expirationSeconds)).toBeLessThanOrEqual(600);
    expect(Number(session.expirationSeconds)).toBeGreaterThan(500);
  });

  test('registered API keys may last longer, and sessions within the maximum get the requested lifetime', async () => {
    const { root, members } = await create();
    const { caller, userId } = memberAt({ members }, 0);
    const apiKeys = [apiKeyParams(newApiKey(), { expirationSeconds: '999999999' })];
    await caller.result('createApiKeys', { userId, apiKeys });
    await login(caller, { expirationSeconds: String(7 * DAY) });
    const keys = await keysOf(root, userId);
    const lifetimes = keys.flatMap(({ expirationSeconds }) => expirationSeconds || []);
    expect(lifetimes).toEqual(['999999999', String(7 * DAY)]);
  });
});
