import { expect, test } from 'vitest';
import { type ApiKey, newApiKey } from '../../support/api-key.ts';
import type { Answer } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import {
  apiKeyParams,
  createPrivateKey,
  createSubOrganization,
  createWallet,
  privateKeyParams,
  signParams,
  subOrganizationParams,
  uniqueName,
  userParams,
} from '../../support/world.ts';

const config = { maxUsers: 3, maxWallets: 2, maxPrivateKeys: 3, maxCredentials: 2, maxPayloads: 3, maxBodyBytes: 8192 };

function expectLimit({ status, body }: Answer, setting: keyof typeof config): void {
  expect(status).toBe(409);
  expect(body.errorCode).toBe('LIMIT_EXCEEDED');
  expect(body.message).toContain(`(${setting})`);
  expect(body.message).toContain(String(config[setting]));
}

const keys = (count: number): ApiKey[] => Array.from({ length: count }, () => newApiKey());

describeEngines(
  'limits',
  (subject) => {
    test('users of an organization', async () => {
      const { caller } = await createSubOrganization(subject().service.root);
      await caller.result('createUsers', { users: [userParams()] });
      expectLimit(await caller.submit('createUsers', { users: [userParams(), userParams()] }), 'maxUsers');
      await caller.result('createUsers', { users: [userParams()] });
      expectLimit(await caller.submit('createUsers', { users: [userParams()] }), 'maxUsers');
      const params = subOrganizationParams(newApiKey());
      const rootUsers = keys(4).map((key) => {
        const { userTags: _, ...user } = userParams(key);
        return user;
      });
      expectLimit(await subject().service.root.submit('createSubOrganization', { ...params, rootUsers }), 'maxUsers');
    });

    test('wallets of an organization', async () => {
      const { caller } = await createSubOrganization(subject().service.root);
      await createWallet(caller);
      await createWallet(caller);
      expectLimit(await caller.submit('createWallet', { walletName: uniqueName('Wallet'), accounts: [] }), 'maxWallets');
    });

    test('private keys of an organization, also one about to be created', async () => {
      const { root } = subject().service;
      const { caller } = await createSubOrganization(root);
      const make = (count: number) => Array.from({ length: count }, () => privateKeyParams('CURVE_P256'));
      expectLimit(await caller.submit('createPrivateKeys', { privateKeys: make(4) }), 'maxPrivateKeys');
      await caller.result('createPrivateKeys', { privateKeys: make(2) });
      expectLimit(await caller.submit('createPrivateKeys', { privateKeys: make(2) }), 'maxPrivateKeys');
      const spare = await createPrivateKey(caller);
      expectLimit(await caller.submit('createPrivateKeys', { privateKeys: make(1) }), 'maxPrivateKeys');
      await caller.result('deletePrivateKeys', { privateKeyIds: [spare], deleteWithoutExport: true });
      await caller.result('createPrivateKeys', { privateKeys: make(1) });
      const { publicKey } = newApiKey();
      const old = {
        subOrganizationName: uniqueName('Customer'),
        rootUsers: [{ userName: 'Root', apiKeys: [{ apiKeyName: 'Key', publicKey }], authenticators: [] }],
        rootQuorumThreshold: 1,
        privateKeys: make(4),
      };
      const type = 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V3';
      expectLimit(await root.submit('createSubOrganization', old, { type }), 'maxPrivateKeys');
    });

    test('credentials of a user, counted separately for permanent and expiring ones', async () => {
      const { caller, userId } = await createSubOrganization(subject().service.root);
      const add = (added: object[]) => caller.submit('createApiKeys', { userId, apiKeys: added });
      const short = (key: ApiKey) => apiKeyParams(key, { expirationSeconds: '3600' });
      expectLimit(await add(keys(2).map((key) => apiKeyParams(key))), 'maxCredentials');
      expect((await add(keys(1).map((key) => apiKeyParams(key)))).status).toBe(200);
      expectLimit(await add(keys(1).map((key) => apiKeyParams(key))), 'maxCredentials');
      expect((await add(keys(2).map(short))).status).toBe(200);
      expectLimit(await add(keys(3).map(short)), 'maxCredentials');
      expect((await caller.query('whoami')).status).toBe(200);
      expectLimit(await caller.submit('createUsers', { users: [userParams(...keys(3))] }), 'maxCredentials');
    });

    test('payloads of a request', async () => {
      const { root } = subject().service;
      const { payload, ...rest } = signParams(await createPrivateKey(root));
      const sign = (count: number) => root.submit('signRawPayloads', { ...rest, payloads: Array(count).fill(payload) });
      expectLimit(await sign(4), 'maxPayloads');
      expect((await sign(3)).status).toBe(200);
    });

    test('bytes of a body: a body at the limit is accepted, one byte more is not', async () => {
      const { root } = subject().service;
      const signWith = await createPrivateKey(root);
      const body = (length: number) => {
        const empty = root.submitBody('signRawPayload', signParams(signWith, ''));
        return root.submitBody('signRawPayload', signParams(signWith, 'x'.repeat(length - empty.length)));
      };
      const path = root.submitPath('signRawPayload');
      const before = await countRows(subject().raw);
      const refused = await root.send(path, body(config.maxBodyBytes + 1));
      expect(refused.status).toBe(413);
      expect(refused.body).toMatchObject({ errorCode: 'BODY_TOO_LARGE', message: expect.stringContaining('maxBodyBytes') });
      expect(refused.body.message).toContain(String(config.maxBodyBytes));
      expect(await countRows(subject().raw)).toEqual(before);
      expect((await root.send(path, body(config.maxBodyBytes))).status).toBe(200);
    });

    test('a refused request leaves nothing behind', async () => {
      const { caller } = await createSubOrganization(subject().service.root);
      const before = await countRows(subject().raw);
      await caller.submit('createUsers', { users: [userParams(), userParams(), userParams()] });
      const { payload, ...rest } = signParams('nobody');
      await caller.submit('signRawPayloads', { ...rest, payloads: Array(4).fill(payload) });
      expect(await countRows(subject().raw)).toEqual(before);
    });
  },
  { config },
);
