import type { activities } from '@countersign/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { activityCases, buildWorld, type World } from '../../support/activity-cases.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Answer, Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createMember, createPrivateKey, errorOf, signParams, subOrganizationParams, uniqueName } from '../../support/world.ts';

/** The distinct ids in a list of answers. */
const idsOf = (answers: readonly Answer[]) => [...new Set(answers.map(({ body }) => body.activity?.id))];

describeEngines('repeated bodies', (subject) => {
  let root: Caller;

  beforeAll(() => {
    root = subject().service.root;
  });

  describe('for every operation', () => {
    let world: World;

    beforeAll(async () => {
      world = await buildWorld(root);
    });

    test.each(Object.keys(activityCases) as (keyof typeof activities)[])('D05: %s runs once', async (name) => {
      const body = root.submitBody(name, activityCases[name]?.params(world));
      const first = await root.send(root.submitPath(name), body);
      expect(first.status, JSON.stringify(first.body)).toBe(200);
      const between = await countRows(subject().raw);
      const again = await root.send(root.submitPath(name), body);
      expect({ status: again.status, body: again.body }).toEqual({ status: 200, body: first.body });
      expect(await countRows(subject().raw)).toEqual(between);
      const compatible = root.with({ dialect: 'turnkey' });
      const other = await compatible.send(compatible.submitPath(name), body);
      expect(other.body.activity.id).toBe(first.body.activity.id);
    });
  });

  test('D05: fifty concurrent copies create one activity, even if a name must be unique', async () => {
    const key = await createPrivateKey(root);
    const bodies = [
      ['signRawPayload', signParams(key)],
      ['createWallet', { walletName: uniqueName('Wallet'), accounts: [] }],
      ['createSubOrganization', subOrganizationParams(newApiKey())],
    ] as const;
    for (const [name, parameters] of bodies) {
      const before = await countRows(subject().raw);
      const body = root.submitBody(name, parameters);
      const answers = await Promise.all(Array.from({ length: 50 }, () => root.send(root.submitPath(name), body)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(idsOf(answers)).toHaveLength(1);
      expect(new Set(answers.map(({ body: shown }) => JSON.stringify(shown))).size).toBe(1);
      expect((await countRows(subject().raw)).activities).toBe(before.activities + 1);
    }
    const { wallets } = await root.data('listWallets');
    expect(wallets.filter((wallet: Json) => wallet.walletName === bodies[1][1].walletName)).toHaveLength(1);
  });

  test('another body with the same parameters is another activity', async () => {
    const key = await createPrivateKey(root);
    const body = root.submitBody('signRawPayload', signParams(key));
    const path = root.submitPath('signRawPayload');
    const answers = [await root.send(path, body), await root.send(path, `${body} `)];
    expect(idsOf(answers)).toHaveLength(2);
  });

  test('the same body stamped by another user of the organization returns the same activity', async () => {
    const { caller } = await createMember(root);
    const body = root.submitBody('signRawPayload', signParams(await createPrivateKey(root)));
    const path = root.submitPath('signRawPayload');
    const first = await root.send(path, body);
    const other = await caller.send(path, body);
    expect(other.body.activity?.id ?? other.body.details?.[0]?.activityId).toBe(first.body.activity.id);
  });

  test('a denied attempt is stored, gets the same answer when repeated, and stays denied', async () => {
    const { caller } = await createMember(root);
    const body = caller.submitBody('signRawPayload', signParams(await createPrivateKey(root)));
    const path = caller.submitPath('signRawPayload');
    const before = await countRows(subject().raw);
    const answers = await Promise.all(Array.from({ length: 10 }, () => caller.send(path, body)));
    const [first] = answers as [Answer];
    expect(errorOf(first)).toEqual({ status: 403, code: 'POLICY_DENIED' });
    for (const answer of answers) expect(answer.body).toEqual(first.body);
    expect(await countRows(subject().raw)).toEqual({ ...before, activities: before.activities + 1 });
    const [{ activityId }] = first.body.details;
    const { activities: failed } = await root.data('listActivities', { filterByStatus: ['ACTIVITY_STATUS_FAILED'] });
    expect(failed.map((activity: Json) => activity.id)).toContain(activityId);
  });

  test('a request refused before it became an activity may be sent again once the cause is gone', async () => {
    const walletName = uniqueName('Wallet');
    const body = root.submitBody('createWalletAccounts', { walletId: 'none', accounts: [] });
    expect((await root.send(root.submitPath('createWalletAccounts'), body)).status).toBe(400);
    const taken = root.submitBody('createWallet', { walletName, accounts: [] });
    await root.result('createWallet', { walletName, accounts: [] });
    expect(errorOf(await root.send(root.submitPath('createWallet'), taken))).toMatchObject({ code: 'NAME_TAKEN' });
    expect(errorOf(await root.send(root.submitPath('createWallet'), taken))).toMatchObject({ code: 'NAME_TAKEN' });
  });

  describe('at two services of one installation', () => {
    let second: TestService;

    beforeAll(async () => {
      second = await startService(subject().installation);
      return () => second.close();
    });

    test('it runs once, at the first of the two', async () => {
      const key = await createPrivateKey(root);
      const callers = [root, root.with({ url: second.url })];
      for (const [name, parameters] of [
        ['signRawPayload', signParams(key)],
        ['createWallet', { walletName: uniqueName('Wallet'), accounts: [] }],
        ['createSubOrganization', subOrganizationParams(newApiKey())],
      ] as const) {
        const before = await countRows(subject().raw);
        const body = root.submitBody(name, parameters);
        const sent = Array.from({ length: 50 }, (_, index) => (callers[index % 2] as Caller).send(root.submitPath(name), body));
        const answers = await Promise.all(sent);
        expect(new Set(answers.map(({ status }) => status)), JSON.stringify(answers.find((a) => a.status !== 200)?.body)).toEqual(
          new Set([200]),
        );
        expect(idsOf(answers)).toHaveLength(1);
        expect((await countRows(subject().raw)).activities).toBe(before.activities + 1);
      }
    });

    test('a denied attempt has the same id at both', async () => {
      const { caller } = await createMember(root);
      const body = caller.submitBody('signRawPayload', signParams(await createPrivateKey(root)));
      const path = caller.submitPath('signRawPayload');
      const answers = [await caller.send(path, body), await caller.with({ url: second.url }).send(path, body)];
      expect(answers[0]?.status).toBe(403);
      expect(answers[1]?.body).toEqual(answers[0]?.body);
    });
  });
});
