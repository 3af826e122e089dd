import { beforeAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Answer, Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { startService, type TestService } from '../../support/service.ts';
import {
  apiKeyParams,
  createMember,
  createPrivateKey,
  createSubOrganization,
  createWallet,
  errorOf,
  ethereumAccount,
  signParams,
  uniqueName,
  userParams,
} from '../../support/world.ts';

describeEngines('two services on one installation', (subject) => {
  let second: TestService;
  /** The same root user, at each service. */
  let here: Caller;
  let there: Caller;

  beforeAll(async () => {
    second = await startService(subject().installation);
    here = subject().service.root;
    there = here.with({ url: second.url });
    return () => second.close();
  });

  describe('removals at one service apply immediately at the other', () => {
    test('an API key', async () => {
      const { userId, caller } = await createMember(here);
      const key = newApiKey();
      const { apiKeyIds } = await here.result('createApiKeys', { userId, apiKeys: [apiKeyParams(key)] });
      const elsewhere = caller.with({ key, url: there.url });
      expect((await elsewhere.query('whoami')).status).toBe(200);
      expect((await elsewhere.submit('createApiKeys', { userId, apiKeys: [apiKeyParams(newApiKey())] })).status).toBe(200);
      await here.result('deleteApiKeys', { userId, apiKeyIds });
      const answers = [
        await elsewhere.submit('createApiKeys', { userId, apiKeys: [apiKeyParams(newApiKey())] }),
        await elsewhere.query('whoami'),
      ];
      for (const answer of answers) expect(errorOf(answer)).toEqual({ status: 401, code: 'PUBLIC_KEY_NOT_FOUND' });
    });

    test('an API key of a parent that reads a sub-organization', async () => {
      const { userId, caller } = await createMember(here);
      const key = newApiKey();
      const { apiKeyIds } = await here.result('createApiKeys', { userId, apiKeys: [apiKeyParams(key)] });
      const { organizationId } = await createSubOrganization(here);
      const reader = caller.with({ key, url: there.url, organizationId });
      expect((await reader.query('getOrganizationConfigs')).status).toBe(200);
      await here.result('deleteApiKeys', { userId, apiKeyIds });
      expect(errorOf(await reader.query('getOrganizationConfigs'))).toMatchObject({ status: 401 });
    });

    test('a private key, although the other has just signed with it', async () => {
      const privateKeyId = await createPrivateKey(here);
      expect((await there.submit('signRawPayload', signParams(privateKeyId))).status).toBe(200);
      await here.result('deletePrivateKeys', { privateKeyIds: [privateKeyId], deleteWithoutExport: true });
      expect(errorOf(await there.submit('signRawPayload', signParams(privateKeyId)))).toMatchObject({
        status: 404,
        code: 'SIGN_WITH_NOT_FOUND',
      });
      expect(errorOf(await there.query('getPrivateKey', { privateKeyId }))).toMatchObject({ status: 404 });
    });
  });

  describe('additions at one service are usable immediately at the other', () => {
    beforeAll(async () => {
      // The other service has cached the organization as it was before.
      expect((await there.submit('signRawPayload', signParams(await createPrivateKey(there)))).status).toBe(200);
    });

    test('an API key, to submit with', async () => {
      const { userId } = await createMember(here);
      const key = newApiKey();
      await here.result('createApiKeys', { userId, apiKeys: [apiKeyParams(key)] });
      const params = { userId, apiKeys: [apiKeyParams(newApiKey())] };
      expect((await there.with({ key }).submit('createApiKeys', params)).status).toBe(200);
    });

    test('a user, to give an API key', async () => {
      const { userId } = await createMember(here);
      const params = { userId, apiKeys: [apiKeyParams(newApiKey())] };
      expect((await there.submit('createApiKeys', params)).status).toBe(200);
    });

    test('a private key and an account, to sign with', async () => {
      const privateKeyId = await createPrivateKey(here);
      expect((await there.submit('signRawPayload', signParams(privateKeyId))).status).toBe(200);
      const { walletId, addresses } = await createWallet(here);
      expect((await there.submit('signRawPayload', signParams(addresses[0] as string))).status).toBe(200);
      const further = await here.result('createWalletAccounts', { walletId, accounts: [ethereumAccount(3)] });
      expect((await there.submit('signRawPayload', signParams(further.addresses[0]))).status).toBe(200);
    });

    test('a name that was given up', async () => {
      const { userId } = await createMember(here);
      const key = newApiKey();
      const { apiKeyIds } = await here.result('createApiKeys', { userId, apiKeys: [apiKeyParams(key)] });
      expect(errorOf(await there.submit('createApiKeys', { userId, apiKeys: [apiKeyParams(key)] }))).toMatchObject({
        code: 'CREDENTIAL_TAKEN',
      });
      await here.result('deleteApiKeys', { userId, apiKeyIds });
      expect((await there.submit('createApiKeys', { userId, apiKeys: [apiKeyParams(key)] })).status).toBe(200);
    });
  });

  test('concurrent signatures and changes at both: none is lost or refused', async () => {
    const { caller } = await createSubOrganization(here);
    const { addresses } = await createWallet(caller);
    const sides = [caller, caller.with({ url: there.url })];
    let changing = true;
    const change = async (side: Caller) => {
      const answers: Answer[] = [];
      while (changing) answers.push(await side.submit('createUsers', { users: [userParams()] }));
      return answers;
    };
    const sign = async (side: Caller, count: number) => {
      const answers: Answer[] = [];
      for (let index = 0; index < count; index++)
        answers.push(await side.submit('signRawPayload', signParams(addresses[0] as string, uniqueName('Storm'))));
      return answers;
    };
    const changes = sides.map(change);
    const signatures = (await Promise.all(sides.flatMap((side) => Array.from({ length: 6 }, () => sign(side, 6))))).flat();
    changing = false;
    const changed = (await Promise.all(changes)).flat();
    const refused = changed.filter(({ status, body }) => status !== 200 && body.errorCode !== 'LIMIT_EXCEEDED');
    expect(refused.map(({ status, body }) => ({ status, body }))).toEqual([]);
    expect(signatures.filter(({ status }) => status !== 200).map(({ status, body }) => ({ status, body }))).toEqual([]);
    const ids = new Set(signatures.map(({ body }) => body.activity.id));
    expect(ids.size).toBe(72);
    const stored = await subject().raw.all(
      "SELECT id FROM activities WHERE organization_id = ? AND type = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'",
      caller.organizationId,
    );
    expect(new Set(stored.map(({ id }) => id))).toEqual(ids);
    expect(changed.length).toBeGreaterThan(2);
  });
});
