import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Answer, Caller } from '../../support/caller.ts';
import { engines, type Installation } from '../../support/installation.ts';
import {
  apiKeyParams,
  createMember,
  createPrivateKey,
  createSubOrganization,
  createWallet,
  errorOf,
  signParams,
  uniqueName,
  userParams,
} from '../../support/world.ts';
import { placeOf, type Serving, serve } from './support/serving.ts';

/** Repetitions of each race, so that an occasionally stale cache is noticed. */
const ROUNDS = 5;

describe('two servers on one PostgreSQL', () => {
  let installation: Installation;
  let nodes: readonly [Serving, Serving];

  beforeAll(async () => {
    installation = await engines.postgres();
    const first = await serve(placeOf(installation));
    nodes = [first, await serve(placeOf(installation))];
  });
  afterAll(async () => {
    await Promise.all((nodes ?? []).map((node) => node.kill()));
    await installation?.remove();
  });

  /** The same user at each server. */
  const atBoth = (caller: Caller): [Caller, Caller] => [caller.with({ url: nodes[0].url }), caller.with({ url: nodes[1].url })];

  test('an API key removed at one is refused at once by the other', async () => {
    const { caller: root } = await createSubOrganization(nodes[0].root);
    const [here] = atBoth(root);
    const { addresses } = await createWallet(here);
    const { userId } = await here.data('whoami');
    for (let round = 0; round < ROUNDS; round++) {
      const key = newApiKey();
      const { apiKeyIds } = await here.result('createApiKeys', { userId, apiKeys: [apiKeyParams(key)] });
      const [, there] = atBoth(root.with({ key }));
      const sign = () => there.submit('signRawPayload', signParams(addresses[0] as string));
      // The other server has used the key, so all of its caches know it.
      expect([(await sign()).status, (await there.query('whoami')).status]).toEqual([200, 200]);

      await here.result('deleteApiKeys', { userId, apiKeyIds });
      const [submitted, asked] =
        round % 2 === 0 ? await Promise.all([sign(), there.query('whoami')]) : [await sign(), await there.query('whoami')];
      const refusal = { status: 401, code: 'PUBLIC_KEY_NOT_FOUND' };
      expect([errorOf(submitted as Answer), errorOf(asked as Answer)]).toEqual([refusal, refusal]);
    }
  });

  test('a private key deleted at one signs nothing at the other', async () => {
    const { caller: root } = await createSubOrganization(nodes[0].root);
    const [here, there] = atBoth(root);
    for (let round = 0; round < ROUNDS; round++) {
      const id = await createPrivateKey(here);
      const sign = (caller: Caller) => caller.submit('signRawPayload', signParams(id));
      expect([(await sign(there)).status, (await sign(here)).status]).toEqual([200, 200]);
      await here.result('deletePrivateKeys', { privateKeyIds: [id], deleteWithoutExport: true });
      expect((await sign(there)).status).toBe(404);
      expect((await there.query('getPrivateKey', { privateKeyId: id })).status).toBe(404);
    }
  });

  test('objects created at one exist at the other at once', async () => {
    const { caller: root } = await createSubOrganization(nodes[0].root);
    const [here, there] = atBoth(root);
    await there.data('whoami');
    for (let round = 0; round < ROUNDS; round++) {
      const { caller } = await createMember(here);
      expect((await caller.with({ url: nodes[1].url }).query('whoami')).status).toBe(200);
      const { addresses } = await createWallet(there);
      expect((await here.submit('signRawPayload', signParams(addresses[0] as string))).status).toBe(200);
    }
  });

  test.each([
    ['signRawPayload', async (caller: Caller) => signParams(await createPrivateKey(caller))],
    ['createWallet', async () => ({ walletName: uniqueName('Wallet'), accounts: [] })],
    ['createUsers', async () => ({ users: [userParams(newApiKey())] })],
    [
      'createPrivateKeys',
      async () => ({
        privateKeys: [{ privateKeyName: uniqueName('Key'), curve: 'CURVE_P256', privateKeyTags: [], addressFormats: [] }],
      }),
    ],
  ] as const)('fault 10, R2: one %s over fifty connections to each server is one activity', async (name, parameters) => {
    const { caller: root } = await createSubOrganization(nodes[0].root);
    const callers = atBoth(root);
    const body = root.submitBody(name, await parameters(callers[0]));
    const raw = await installation.raw();
    const count = async () => {
      const [row] = await raw.all('SELECT count(*) AS count FROM activities WHERE organization_id = ?', root.organizationId);
      return Number(row?.count);
    };
    const before = await count();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => (callers[index % 2] as Caller).send(root.submitPath(name), body)),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    expect(await count()).toBe(before + 1);
  });
});
