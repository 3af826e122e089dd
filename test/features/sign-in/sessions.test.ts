import { createHash } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { describe, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import {
  apiKeyParams,
  createMember,
  createSubOrganization,
  errorOf,
  madeUpId,
  uniqueName,
  userParams,
} from '../../support/world.ts';
import { createOrganization } from '../policies/support.ts';
import { ask, keysOf, login, MINUTES, readWriteSession, typesOf } from './sessions-support.ts';
import { newTarget, publishedKeys } from './transfer-support.ts';

describeEngines('sessions', (subject) => {
  const root = () => subject().service.root;

  describe('read-write sessions', () => {
    test('last fifteen minutes and have a name by default', async () => {
      const { caller, userId } = await createMember(root());
      const session = await readWriteSession(caller);
      const [key] = (await keysOf(root(), userId)).filter(({ expirationSeconds }) => expirationSeconds !== '');
      expect(key).toMatchObject({
        expirationSeconds: '900',
        credential: { type: 'CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256', publicKey: session.key.publicKey },
      });
      expect(key.apiKeyName).toMatch(/^Read Write Session - \d{4}-\d\d-\d\dT/);
      subject().service.setAheadMs(14 * MINUTES);
      expect((await session.query('whoami')).status).toBe(200);
      subject().service.setAheadMs(15 * MINUTES);
      expect(errorOf(await session.query('whoami'))).toEqual({ status: 401, code: 'API_KEY_EXPIRED' });
      subject().service.setAheadMs(0);
    });

    test('the answer names organization, user and key', async () => {
      const { caller, userId } = await createMember(root());
      const params = { targetPublicKey: newTarget().hex, apiKeyName: 'My phone', expirationSeconds: '60' };
      const result = await caller.result('createReadWriteSession', params);
      const who = await caller.data('whoami');
      expect(result).toEqual({ ...who, apiKeyId: expect.any(String), credentialBundle: expect.any(String) });
      const keys = await keysOf(root(), userId);
      expect(keys.find(({ apiKeyId }) => apiKeyId === result.apiKeyId)).toMatchObject({
        apiKeyName: 'My phone',
        expirationSeconds: '60',
      });
    });

    test('the first version names the user by e-mail address', async () => {
      const { caller: sub } = await createSubOrganization(root());
      const key = newApiKey();
      const { userIds } = await sub.result('createUsers', {
        users: [{ ...userParams(key), userEmail: 'Session.User@example.com' }],
      });
      const type = 'ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION';
      const params = { targetPublicKey: newTarget().hex, email: 'session.user@example.com' };
      const answer = await sub.with({ key, dialect: 'turnkey' }).submit('createReadWriteSession', params, { type });
      expect(answer.body.activity).toMatchObject({
        type,
        intent: { createReadWriteSessionIntent: params },
        result: { createReadWriteSessionResult: { userId: userIds[0] } },
      });
      const unknown = { ...params, email: 'nobody@example.com' };
      expect(errorOf(await sub.submit('createReadWriteSession', unknown, { type }))).toEqual({
        status: 404,
        code: 'NOT_FOUND',
        fields: ['email'],
      });
    });

    test('a session can start another, and users need no policy for their own sessions', async () => {
      const { caller, userId } = await createMember(root());
      const second = await readWriteSession(await readWriteSession(caller));
      expect(await second.data('whoami')).toMatchObject({ userId });
    });

    test('a session for somebody else needs the root quorum', async () => {
      const { root: owner, members } = await createOrganization(root(), { members: 2 });
      const [one, other] = members as [(typeof members)[0], (typeof members)[0]];
      const params = { targetPublicKey: newTarget().hex, userId: other.userId };
      expect(errorOf(await one.caller.submit('createReadWriteSession', params))).toMatchObject({ status: 403 });
      expect(typesOf(await keysOf(owner, other.userId))).toEqual(['CREDENTIAL_TYPE_API_KEY_P256']);
      const session = await readWriteSession(owner, { userId: other.userId });
      expect(await session.data('whoami')).toMatchObject({ userId: other.userId });
      expect(errorOf(await owner.submit('createReadWriteSession', { ...params, userId: madeUpId() }))).toEqual({
        status: 404,
        code: 'NOT_FOUND',
        fields: ['userId'],
      });
    });

    test('a policy can deny signing in', async () => {
      const { root: owner, members } = await createOrganization(root(), { members: 1 });
      const condition = "activity.resource == 'AUTH' && activity.action == 'CREATE'";
      await owner.result('createPolicy', { policyName: uniqueName('No sessions'), effect: 'EFFECT_DENY', condition, notes: '' });
      const { caller } = members[0] as (typeof members)[0];
      for (const [name, params] of [
        ['createReadWriteSession', { targetPublicKey: newTarget().hex }],
        ['createReadOnlySession', {}],
        ['stampLogin', { publicKey: newApiKey().publicKey }],
      ] as const) {
        expect(errorOf(await caller.submit(name, params))).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
      }
    });
  });

  describe('stamp_login', () => {
    test('registers the caller’s key as an API key, and returns a token signed by the notarizer', async () => {
      const { caller, userId } = await createMember(root());
      const key = newApiKey();
      const before = Math.floor(Date.now() / 1000);
      const { session } = await caller.result('stampLogin', { publicKey: key.publicKey, expirationSeconds: '120' });
      const [header, payload, signature] = session.split('.') as [string, string, string];
      expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'ES256', typ: 'JWT' });
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
      expect(claims).toEqual({
        exp: expect.any(Number),
        public_key: key.publicKey,
        session_type: 'SESSION_TYPE_READ_WRITE',
        user_id: userId,
        organization_id: caller.organizationId,
      });
      expect(claims.exp - before).toBeGreaterThanOrEqual(120);
      expect(claims.exp - before).toBeLessThan(130);
      const { sessionNotarizer } = await publishedKeys(caller.url);
      const once = createHash('sha256').update(`${header}.${payload}`).digest();
      const publicKey = Buffer.from(sessionNotarizer as string, 'hex');
      // The signature covers the hash of the hash. It is r followed by s.
      expect(p256.verify(Buffer.from(signature, 'base64url'), once, publicKey)).toBe(true);
      expect(p256.verify(Buffer.from(signature, 'base64url'), Buffer.from(`${header}.${payload}`), publicKey)).toBe(false);
      expect(await caller.with({ key }).data('whoami')).toMatchObject({ userId });
      const kept = (await keysOf(root(), userId)).find(({ credential }) => credential.publicKey === key.publicKey);
      expect(kept).toMatchObject({ credential: { type: 'CREDENTIAL_TYPE_LOGIN' }, expirationSeconds: '120' });
      expect(kept.apiKeyName).toMatch(/^Login - /);
    });

    test('the token authenticates nothing', async () => {
      const { caller } = await createMember(root());
      const { session } = await caller.result('stampLogin', { publicKey: newApiKey().publicKey });
      for (const headers of [{ 'x-session': session }, { 'x-stamp': session }, { authorization: `Bearer ${session}` }]) {
        expect((await ask(caller, headers as Record<string, string>)).status).toBe(401);
      }
    });

    test('a registered key, a key off the curve and a private key are refused', async () => {
      const { caller } = await createMember(root());
      const { publicKey } = caller.key;
      expect(errorOf(await caller.submit('stampLogin', { publicKey }))).toEqual({
        status: 400,
        code: 'CREDENTIAL_TAKEN',
        fields: ['publicKey'],
      });
      const pasted = newApiKey().privateKey;
      for (const bad of [`02${'ff'.repeat(32)}`, pasted, newTarget().hex, 'zz']) {
        const answer = await caller.submit('stampLogin', { publicKey: bad });
        expect(errorOf(answer)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['publicKey'] });
      }
      const { body } = await caller.submit('stampLogin', { publicKey: pasted });
      expect(body.message).toContain('private key');
    });

    test('a session profile that does not exist is refused', async () => {
      const { caller } = await createMember(root());
      const params = { publicKey: newApiKey().publicKey, sessionProfileId: madeUpId() };
      expect(errorOf(await caller.submit('stampLogin', params))).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    });
  });

  describe('lifetime and number', () => {
    test.each(['0', '-1', '1.5', '1e20', '99999999999999999999', ' 60', '0x10', '', '10000000000', '٣'])(
      'D32: expirationSeconds %j is refused',
      async (expirationSeconds) => {
        const { caller, userId } = await createMember(root());
        const before = await keysOf(root(), userId);
        for (const [name, params] of [
          ['createReadWriteSession', { targetPublicKey: newTarget().hex }],
          ['stampLogin', { publicKey: newApiKey().publicKey }],
        ] as const) {
          expect(errorOf(await caller.submit(name, { ...params, expirationSeconds }))).toEqual({
            status: 400,
            code: 'REQUEST_INVALID',
            fields: ['expirationSeconds'],
          });
        }
        expect(await keysOf(root(), userId)).toEqual(before);
      },
    );

    test('D32: a number instead of a text is refused', async () => {
      const { caller } = await createMember(root());
      const params = { publicKey: newApiKey().publicKey, expirationSeconds: 60 };
      expect((await caller.submit('stampLogin', params)).status).toBe(400);
    });

    test("D32: invalidateExisting ends that user's keys of the same kind, and no others", async () => {
      const { caller, userId } = await createMember(root());
      const bystander = await createMember(root());
      const neighbour = await login(bystander.caller);
      await root().result('createApiKeys', { userId, apiKeys: [apiKeyParams(newApiKey(), { expirationSeconds: '600' })] });
      const [first, second, session] = [await login(caller), await login(caller), await readWriteSession(caller)];
      const third = await login(caller, { invalidateExisting: true });
      expect(typesOf(await keysOf(root(), userId))).toEqual([
        'CREDENTIAL_TYPE_API_KEY_P256',
        'CREDENTIAL_TYPE_API_KEY_P256',
        'CREDENTIAL_TYPE_LOGIN',
        'CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256',
      ]);
      for (const ended of [first, second])
        expect(errorOf(await ended.query('whoami'))).toEqual({ status: 401, code: 'PUBLIC_KEY_NOT_FOUND' });
      for (const live of [caller, session, third, neighbour]) expect((await live.query('whoami')).status).toBe(200);
      const next = await readWriteSession(caller, { invalidateExisting: true });
      expect((await session.query('whoami')).status).toBe(401);
      for (const live of [third, next]) expect((await live.query('whoami')).status).toBe(200);
    });

    test('a session may replace itself', async () => {
      const { caller } = await createMember(root());
      const first = await login(caller);
      const second = await login(first, { invalidateExisting: true });
      expect((await first.query('whoami')).status).toBe(401);
      expect((await second.query('whoami')).status).toBe(200);
    });

    test('of eleven sessions of a type the oldest goes; those of other types and keys that last stay', async () => {
      const { caller, userId } = await createMember(root());
      const other = await readWriteSession(caller);
      const sessions: Caller[] = [];
      for (let i = 0; i < 11; i++) sessions.push(await login(caller));
      const keys = await keysOf(root(), userId);
      expect(keys).toHaveLength(12);
      expect(keys.filter(({ credential }) => credential.type === 'CREDENTIAL_TYPE_LOGIN')).toHaveLength(10);
      expect((await (sessions[0] as Caller).query('whoami')).status).toBe(401);
      for (const live of [...sessions.slice(1), other, caller]) expect((await live.query('whoami')).status).toBe(200);
    });
  });

  test('a refused sign-in leaves no key behind', async () => {
    const { caller, userId } = await createMember(root());
    const before = await countRows(subject().raw);
    await caller.submit('createReadWriteSession', { targetPublicKey: `04${'11'.repeat(64)}` });
    await caller.submit('createReadWriteSession', { targetPublicKey: newTarget().hex, userId: madeUpId() });
    await caller.submit('stampLogin', { publicKey: caller.key.publicKey });
    expect(await countRows(subject().raw)).toEqual(before);
    expect(await keysOf(root(), userId)).toHaveLength(1);
  });
});
