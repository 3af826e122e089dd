import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createResources } from '../../../packages/server/src/organizations/snapshot/resources.ts';
import type { PipelineServices } from '../../../packages/server/src/pipeline/services.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createPrivateKey, createSubOrganization, errorOf, signParams } from '../../support/world.ts';
import { type Account, accountsOf, remove, unknown, walletWith } from './support/wallet-accounts.ts';

const alarms: string[] = [];

/** What another service does after accounts were read here and before their wallets are read. */
let meanwhile: (() => Promise<unknown>) | undefined;

async function interrupted<T>(kind: string, read: Promise<T>): Promise<T> {
  const found = await read;
  const act = meanwhile;
  if (kind !== 'walletAccount' || act === undefined) return found;
  meanwhile = undefined;
  await act();
  return found;
}

/** The service's own resource reader, over a store that changes between two reads. */
function interruptible({ store, vault, organizations }: PipelineServices): Pick<PipelineServices, 'organizations'> {
  const resources: typeof store.resources = {
    ...store.resources,
    get: (organizationId, kind, id) => interrupted(kind, store.resources.get(organizationId, kind, id)),
    many: (organizationId, kind, ids) => interrupted(kind, store.resources.many(organizationId, kind, ids)),
    page: (organizationId, kind, ...rest) => interrupted(kind, store.resources.page(organizationId, kind, ...rest)),
  };
  const alarm = (_organizationId: string, what: string) => alarms.push(what);
  const verified = createResources({ resources, lookups: store.lookups }, vault.integrity, alarm, organizations.snapshots);
  return { organizations: { ...organizations, resources: verified } };
}

describeEngines(
  'another service deletes an account while it is read',
  (subject) => {
    let second: TestService;
    let root: Caller;
    let there: Caller;
    let walletId: string;
    let gone: Account;
    let kept: Account;

    beforeAll(async () => {
      second = await startService(subject().installation);
    });
    afterAll(() => second?.close());

    beforeEach(async () => {
      root = (await createSubOrganization(subject().service.root)).caller;
      there = root.with({ url: second.url });
      const made = await walletWith(root, 2);
      walletId = made.walletId;
      [gone, kept] = made.accounts as [Account, Account];
      // The cached wallet has an older version, so it is read again.
      await createPrivateKey(root);
    });

    /** The result of a request that is interrupted once. Expects no alarm. */
    async function during<T>(act: () => Promise<unknown>, request: () => Promise<T>): Promise<T> {
      meanwhile = act;
      const answer = await request();
      expect(meanwhile, 'nothing was interrupted').toBeUndefined();
      expect([...alarms, ...second.alarms()]).toEqual([]);
      return answer;
    }

    const deleteAccount = () => there.result('deleteWalletAccounts', remove(gone));
    const deleteWallet = () => there.result('deleteWallets', { walletIds: [walletId], deleteWithoutExport: true });

    test('a listing does not show it', async () => {
      expect(await during(deleteAccount, () => accountsOf(root, walletId))).toEqual([kept]);
    });

    test('a listing of all accounts does not show those of a deleted wallet', async () => {
      const other = await walletWith(root, 1);
      await createPrivateKey(root);
      const { accounts } = await during(deleteWallet, () => root.data('listWalletAccounts'));
      expect(accounts).toMatchObject(other.accounts);
    });

    test('it is not found', async () => {
      const { path, address } = gone;
      const byPath = await during(deleteAccount, () => root.query('getWalletAccount', { walletId, path }));
      expect(errorOf(byPath)).toMatchObject({ status: 404, fields: ['path'] });
      const byAddress = await during(deleteWallet, () => root.query('getWalletAccount', { walletId, address: kept.address }));
      expect(errorOf(byAddress)).toMatchObject({ status: 404, fields: ['address'] });
      expect(errorOf(await root.query('getWalletAccount', { walletId, address }))).toMatchObject({ status: 404 });
    });

    test.each(['address', 'walletAccountId'] as const)('it does not sign by its %s', async (name) => {
      const answer = await during(deleteAccount, () => root.submit('signRawPayload', signParams(gone[name])));
      expect(errorOf(answer)).toEqual(unknown);
    });

    test('deleting it here finds nothing left to delete', async () => {
      const answer = await during(deleteAccount, () => root.submit('deleteWalletAccounts', remove(gone)));
      expect(errorOf(answer)).toEqual({ status: 404, code: 'NOT_FOUND', fields: ['walletAccountIds.0'] });
    });

    test('the wallet is deleted with its remaining accounts', async () => {
      const deleted = await during(deleteAccount, () =>
        root.submit('deleteWallets', { walletIds: [walletId], deleteWithoutExport: true }),
      );
      expect(deleted.status).toBe(200);
      const rows = 'SELECT id FROM resources WHERE id = ? OR parent_id = ?';
      expect(await subject().raw.all(rows, walletId, walletId)).toEqual([]);
    });
  },
  { services: interruptible },
);
