import { beforeAll, expect, test } from 'vitest';
import type { Answer, Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import { startService } from '../../support/service.ts';
import { accountRows, type KeptRow, putBack } from '../../support/tamper/account-rows.ts';
import { createSubOrganization, errorOf, ethereumAccount, ethereumPath, signParams } from '../../support/world.ts';
import { newTarget } from '../sign-in/transfer-support.ts';
import { type Account, accountsOf, remove, walletWith } from './support/wallet-accounts.ts';

/** An organization with a wallet of two accounts. The first was deleted, and somebody put its row back into the database. */
interface Scene {
  readonly root: Caller;
  readonly walletId: string;
  readonly gone: Account;
  readonly kept: Account;
  readonly rows: readonly KeptRow[];
}

/** Everything that would show the account, use it, or depend on it. */
const uses: Readonly<Record<string, (scene: Scene) => Promise<Answer>>> = {
  'listed with its wallet': ({ root, walletId }) => root.query('listWalletAccounts', { walletId }),
  'listed with all others': ({ root }) => root.query('listWalletAccounts'),
  'listed with the details of its wallet': ({ root }) => root.query('listWalletAccounts', { includeWalletDetails: true }),
  'got by its path': ({ root, walletId, gone: { path } }) => root.query('getWalletAccount', { walletId, path }),
  'got by its address': ({ root, walletId, gone: { address } }) => root.query('getWalletAccount', { walletId, address }),
  'signed with by its address': ({ root, gone }) => root.submit('signRawPayload', signParams(gone.address)),
  'signed with by its id': ({ root, gone }) => root.submit('signRawPayload', signParams(gone.walletAccountId)),
  exported: ({ root, gone: { address } }) => root.submit('exportWalletAccount', { address, targetPublicKey: newTarget().hex }),
  'made again': ({ root, walletId }) => root.submit('createWalletAccounts', { walletId, accounts: [ethereumAccount(0)] }),
  'deleted again': ({ root, gone }) => root.submit('deleteWalletAccounts', remove(gone)),
  'deleted with its wallet': ({ root, walletId }) =>
    root.submit('deleteWallets', { walletIds: [walletId], deleteWithoutExport: true }),
  'deleted with its organization': ({ root }) => root.submit('deleteSubOrganization', { deleteWithoutExport: true }),
};

const tampered = { status: 500, code: 'STATE_TAMPERED' };

describeEngines('D62: an account that was deleted is put back', (subject) => {
  let scene: Scene;

  async function deleted(): Promise<Scene> {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const { walletId, accounts } = await walletWith(root, 2);
    const [gone, kept] = accounts as [Account, Account];
    const rows = await accountRows(subject().raw, gone.walletAccountId);
    await root.result('deleteWalletAccounts', remove(gone));
    return { root, walletId, gone, kept, rows };
  }

  const alarmsOf = ({ root }: Scene) =>
    subject()
      .service.alarms()
      .filter(({ organizationId }) => organizationId === root.organizationId);

  beforeAll(async () => {
    scene = await deleted();
    await putBack(subject().raw, scene.rows);
  });

  test.each(Object.keys(uses))('it is not %s: the state is refused with an alarm and not changed', async (use) => {
    const before = [await countRows(subject().raw), alarmsOf(scene).length] as const;
    const answer = await uses[use]?.(scene);
    expect(errorOf(answer as Answer), JSON.stringify(answer?.body)).toEqual(tampered);
    expect(answer?.body.message).toContain(`the walletAccount ${scene.gone.walletAccountId} was deleted, and restored`);
    expect(alarmsOf(scene).length).toBeGreaterThan(before[1]);
    expect(await countRows(subject().raw)).toEqual(before[0]);
  });

  test('everything else works without an alarm, and so does its wallet once the row is removed', async () => {
    const { root, walletId, gone, kept, rows } = await deleted();
    const other = await walletWith(root, 1);
    await putBack(subject().raw, rows);
    await root.result('signRawPayload', signParams(kept.address));
    expect((await root.data('getWalletAccount', { walletId, path: kept.path })).account).toMatchObject(kept);
    expect((await root.data('getWalletAccount', { walletId, address: kept.address })).account).toMatchObject(kept);
    expect((await root.data('listWallets')).wallets).toHaveLength(2);
    await root.result('createWalletAccounts', { walletId, accounts: [ethereumAccount(7)] });
    expect(await accountsOf(root, other.walletId)).toEqual(other.accounts);
    expect(alarmsOf({ ...scene, root })).toEqual([]);
    for (const table of ['resources', 'lookups'])
      await subject().raw.run(`DELETE FROM ${table} WHERE id = ?`, gone.walletAccountId);
    expect((await accountsOf(root, walletId)).map(({ path }) => path)).toEqual([kept.path, ethereumPath(7)]);
    await root.result('createWalletAccounts', { walletId, accounts: [ethereumAccount(0)] });
    await root.result('signRawPayload', signParams(gone.address));
  });

  test('next to a newer account at its path, it raises an alarm too and is not a second key', async () => {
    const made = await deleted();
    const { root, walletId, rows, gone } = made;
    await root.result('createWalletAccounts', { walletId, accounts: [ethereumAccount(0)] });
    await putBack(subject().raw, rows);
    for (const use of ['got by its path', 'got by its address', 'signed with by its address', 'exported', 'made again']) {
      expect(errorOf((await uses[use]?.(made)) as Answer), use).toEqual(tampered);
    }
    // Named by its id, the newer account is unambiguous.
    const [newer] = await subject().raw.all(
      "SELECT id FROM lookups WHERE organization_id = ? AND kind = 'address' AND id > ? ORDER BY id DESC",
      root.organizationId,
      gone.walletAccountId,
    );
    await root.result('signRawPayload', signParams(newer?.id as string));
  });

  test('another service that knew the account before its deletion refuses it too', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const second = await startService(subject().installation);
    try {
      const there = root.with({ url: second.url });
      const { walletId, accounts } = await walletWith(there, 2);
      const [gone, kept] = accounts as [Account, Account];
      for (const { address } of accounts) await there.result('signRawPayload', signParams(address));
      const rows = await accountRows(subject().raw, gone.walletAccountId);
      await root.result('deleteWalletAccounts', remove(gone));
      await putBack(subject().raw, rows);
      for (const [use, request] of Object.entries(uses)) {
        expect(errorOf(await request({ root: there, walletId, gone, kept, rows })), use).toEqual(tampered);
      }
      expect(second.alarms().length).toBeGreaterThanOrEqual(Object.keys(uses).length);
      await there.result('signRawPayload', signParams(kept.address));
    } finally {
      await second.close();
    }
  });

  test('index entries without an account lead nowhere and block nothing', async () => {
    const { root, walletId, gone, rows } = await deleted();
    await putBack(
      subject().raw,
      rows
        .filter(({ table }) => table === 'lookups')
        .map(({ table, row }) => ({ table, row: { ...row, id: 'ffffffff-ffff-7fff-bfff-ffffffffffff' } })),
    );
    expect(errorOf(await root.query('getWalletAccount', { walletId, path: gone.path }))).toMatchObject({ status: 404 });
    await root.result('createWalletAccounts', { walletId, accounts: [ethereumAccount(0)] });
    expect((await root.data('getWalletAccount', { walletId, path: gone.path })).account).toMatchObject({ address: gone.address });
    const again = await root.submit('createWalletAccounts', { walletId, accounts: [ethereumAccount(0)] });
    expect(errorOf(again)).toMatchObject({ status: 400, fields: ['accounts.0.path'] });
  });

  test('it raises an alarm after its wallet was deleted, too', async () => {
    const orphaned = await deleted();
    const { root, walletId, rows } = orphaned;
    await root.result('deleteWallets', { walletIds: [walletId], deleteWithoutExport: true });
    await putBack(subject().raw, rows);
    for (const use of ['listed with all others', 'signed with by its id', 'exported', 'deleted again']) {
      const answer = (await uses[use]?.(orphaned)) as Answer;
      expect(errorOf(answer), use).toEqual(tampered);
      expect(answer.body.message).toContain(`the wallet ${walletId} of a stored account is missing`);
    }
    expect(alarmsOf(orphaned).length).toBeGreaterThanOrEqual(4);
  });
});
