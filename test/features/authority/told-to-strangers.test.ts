import { expect, test } from 'vitest';
import { newApiKey, type StampKind, stampKinds } from '../../support/api-key.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createSubOrganization, errorOf, madeUpId, userParams } from '../../support/world.ts';

describeEngines('errors for callers without a valid stamp', (subject) => {
  const root = () => subject().service.root;

  test.each(Object.keys(stampKinds) as StampKind[])(
    'A31: registered and unknown public keys get the same error without the private key: %s',
    async (kind) => {
      const { caller: sub } = await createSubOrganization(root());
      const [registered, unknown] = [newApiKey(kind), newApiKey(kind)];
      await sub.result('createUsers', { users: [userParams(registered)] });
      const places = [sub.organizationId, root().organizationId, madeUpId()];
      const answers = await Promise.all(
        [registered, unknown].flatMap(({ publicKey }) =>
          places.map((organizationId) =>
            root()
              .with({ key: { ...newApiKey(kind), publicKey }, organizationId })
              .query('whoami'),
          ),
        ),
      );
      expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
      expect(errorOf(answers[0] as (typeof answers)[0])).toEqual({ status: 401, code: 'SIGNATURE_INVALID' });
    },
  );

  test('the holder of an unregistered key gets PUBLIC_KEY_NOT_FOUND', async () => {
    const { caller: sub } = await createSubOrganization(root());
    expect(errorOf(await sub.with({ key: newApiKey() }).query('whoami'))).toEqual({ status: 401, code: 'PUBLIC_KEY_NOT_FOUND' });
  });
});

describeEngines('replayed queries', (subject) => {
  const demand = { name: 'FEATURE_NAME_QUERY_TIMESTAMPS', value: '' };
  const MINUTE_MS = 60_000;

  test('A32: an organization may require a timestamp in queries', async () => {
    const { caller } = await createSubOrganization(subject().service.root);
    expect((await caller.query('whoami')).status).toBe(200);
    await caller.result('setOrganizationFeature', demand);
    expect(errorOf(await caller.query('whoami'))).toMatchObject({ code: 'TIMESTAMP_INVALID' });
    expect((await caller.query('whoami', { timestampMs: String(Date.now()) })).status).toBe(200);
  });

  test.each(['spec', 'turnkey'] as const)('D309: a query that names its operation is no other query: %s', async (dialect) => {
    const { caller: spec } = await createSubOrganization(subject().service.root);
    const caller = spec.with({ dialect });
    const named = (operation: unknown) => JSON.stringify({ organizationId: caller.organizationId, operation });
    expect((await caller.send(caller.queryPath('whoami'), named('whoami'))).status).toBe(200);
    const replayed = await caller.send(caller.queryPath('listWallets'), named('whoami'));
    expect(replayed.status).toBe(400);
    expect(replayed.body.message).toContain('another operation');
    expect((await caller.send(caller.queryPath('listWallets'), named('list_wallets'))).status).toBe(200);
    for (const operation of ['', 'listWallets', ['list_wallets'], { path: 'list_wallets' }])
      expect((await caller.send(caller.queryPath('listWallets'), named(operation))).status).toBe(400);
    // Clients of others do not send it, unless their organization requires it.
    expect((await caller.query('whoami')).status).toBe(200);
    await caller.result('setOrganizationFeature', { name: 'FEATURE_NAME_QUERY_OPERATIONS', value: '' });
    const unnamed = await caller.query('whoami');
    expect(unnamed.status).toBe(400);
    expect(unnamed.body.message).toContain('FEATURE_NAME_QUERY_OPERATIONS');
    expect((await caller.send(caller.queryPath('whoami'), named('whoami'))).status).toBe(200);
  });

  test.each(['spec', 'turnkey'] as const)('A32: a given timestamp is checked as in submits: %s', async (dialect) => {
    const caller = subject().service.root.with({ dialect });
    const at = (timestampMs: unknown) => caller.query('whoami', { timestampMs });
    expect((await at(String(Date.now() - 59 * MINUTE_MS))).status).toBe(200);
    for (const wrong of [String(Date.now() - 61 * MINUTE_MS), String(Date.now() + 6 * MINUTE_MS), '', 'now', Date.now(), {}]) {
      expect((await at(wrong)).status, String(wrong)).toBe(400);
    }
    expect((await at(null)).status).toBe(200);
  });
});
