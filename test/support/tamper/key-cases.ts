import type { Caller } from '../caller.ts';
import type { RawDatabase, StoredRow } from '../raw-database.ts';
import { createPrivateKey, createWallet } from '../world.ts';
import { accountRows, putBack, rowsOf } from './account-rows.ts';
import { changed, insert, LARGE, one, rollBack, signWith, type TamperCase, wholeState } from './tamper-case.ts';

async function swap(raw: RawDatabase, table: 'secrets' | 'resources', columns: readonly string[], ids: readonly string[]) {
  const [a, b] = await Promise.all(ids.map((id) => one(raw, `SELECT * FROM ${table} WHERE id = ?`, id)));
  const assignments = columns.map((column) => `${column} = ?`).join(', ');
  for (const [id, from] of [
    [ids[0], b],
    [ids[1], a],
  ] as const) {
    const values = columns.map((column) => (from as StoredRow)[column] as string);
    await changed(raw.run(`UPDATE ${table} SET ${assignments} WHERE id = ?`, ...values, id as string));
  }
}

const ofOrganization = 'WHERE organization_id = ?';

/** Deletes an account of a new wallet. Returns the previous rows of the account and the wallet. */
async function deleteAccount(raw: RawDatabase, caller: Caller) {
  const { walletId, addresses } = await createWallet(caller);
  const wallet = await one(raw, "SELECT * FROM resources WHERE kind = 'wallet' AND id = ?", walletId);
  const { id } = await one(raw, "SELECT id FROM resources WHERE kind = 'walletAccount' AND parent_id = ?", walletId);
  const kept = await accountRows(raw, id as string);
  await caller.result('deleteWalletAccounts', { walletAccountIds: [id], deleteWithoutExport: true });
  return { kept, wallet, walletId, address: addresses[0] as string };
}

/** Edits of keys, wallets, accounts and their secrets. */
export const keyCases: readonly TamperCase[] = [
  {
    name: 'the secrets of two private keys are swapped',
    running: 'STATE_TAMPERED',
    reported: /secret of \S+ .*is not authentic/,
    onlyHere: true,
    async edit({ raw, caller }) {
      const ids = [await createPrivateKey(caller), await createPrivateKey(caller)];
      await swap(raw, 'secrets', ['ciphertext'], ids);
      return signWith(caller, ids[0] as string);
    },
  },
  {
    name: 'the secret of a key is swapped with another organization’s',
    running: 'STATE_TAMPERED',
    reported: /secret of \S+ .*is not authentic/,
    onlyHere: true,
    async edit({ raw, caller, neighbour }) {
      const ids = [await createPrivateKey(caller), await createPrivateKey(neighbour)];
      await swap(raw, 'secrets', ['ciphertext'], ids);
      return signWith(caller, ids[0] as string);
    },
  },
  {
    name: 'the secret of a key is removed',
    running: 'STATE_TAMPERED',
    reported: /secret of \S+ .*is missing/,
    onlyHere: true,
    async edit({ raw, caller }) {
      const id = await createPrivateKey(caller);
      await changed(raw.run('DELETE FROM secrets WHERE id = ?', id));
      return signWith(caller, id);
    },
  },
  {
    name: 'the rows of two private keys are swapped, with their MACs',
    running: 'STATE_TAMPERED',
    reported: /the privateKey \S+ was changed or inserted/,
    onlyHere: true,
    async edit({ raw, caller }) {
      const ids = [await createPrivateKey(caller), await createPrivateKey(caller)];
      await swap(raw, 'resources', ['written_by', 'body', 'mac'], ids);
      return signWith(caller, ids[0] as string);
    },
  },
  {
    name: 'the public key of an account is changed',
    running: 'STATE_TAMPERED',
    reported: /the walletAccount \S+ was changed or inserted/,
    onlyHere: true,
    async edit({ raw, caller }) {
      const { walletId, addresses } = await createWallet(caller);
      const body = `replace(body, '"publicKey":"0', '"publicKey":"1')`;
      await changed(raw.run(`UPDATE resources SET body = ${body} WHERE kind = 'walletAccount' AND parent_id = ?`, walletId));
      return signWith(caller, addresses[0] as string);
    },
  },
  {
    name: 'an account is moved to another wallet',
    running: 'STATE_TAMPERED',
    reported: /the walletAccount \S+ was changed or inserted/,
    onlyHere: true,
    async edit({ raw, caller }) {
      const [{ walletId, addresses }, other] = [await createWallet(caller), await createWallet(caller)];
      await changed(
        raw.run("UPDATE resources SET parent_id = ? WHERE kind = 'walletAccount' AND parent_id = ?", other.walletId, walletId),
      );
      return signWith(caller, addresses[0] as string);
    },
  },
  {
    name: 'the row of a key is overwritten with garbage',
    running: 'STATE_TAMPERED',
    reported: /the privateKey \S+ was changed or inserted/,
    onlyHere: true,
    async edit({ raw, caller }) {
      const id = await createPrivateKey(caller);
      await changed(raw.run("UPDATE resources SET body = '{' WHERE kind = 'privateKey' AND id = ?", id));
      return signWith(caller, id);
    },
  },
  {
    name: 'a wallet is deleted without its accounts',
    running: 'STATE_TAMPERED',
    reported: wholeState,
    async edit({ raw, caller }) {
      const { walletId, addresses } = await createWallet(caller);
      await changed(raw.run("DELETE FROM resources WHERE kind = 'wallet' AND id = ?", walletId));
      return signWith(caller, addresses[0] as string);
    },
  },
  {
    name: 'a deleted private key is put back with all its rows',
    running: 'STATE_TAMPERED',
    reported: wholeState,
    async edit({ raw, caller, organizationId }) {
      const id = await createPrivateKey(caller);
      const kept = new Map<string, StoredRow>();
      for (const table of ['resources', 'secrets', 'lookups'])
        kept.set(table, await one(raw, `SELECT * FROM ${table} WHERE organization_id = ? AND id = ?`, organizationId, id));
      await caller.result('deletePrivateKeys', { privateKeyIds: [id], deleteWithoutExport: true });
      for (const [table, row] of kept) await insert(raw, table, row);
      return signWith(caller, id);
    },
  },
  {
    name: 'a deleted wallet is put back with its accounts and its secret',
    running: 'STATE_TAMPERED',
    reported: wholeState,
    async edit({ raw, caller, organizationId }) {
      const { walletId, addresses } = await createWallet(caller);
      const kept = [
        ...(await rowsOf(
          raw,
          'resources',
          `${ofOrganization} AND (id = ? OR parent_id = ?)`,
          organizationId,
          walletId,
          walletId,
        )),
        ...(await rowsOf(raw, 'secrets', `${ofOrganization} AND id = ?`, organizationId, walletId)),
        ...(await rowsOf(raw, 'lookups', ofOrganization, organizationId)),
      ];
      await caller.result('deleteWallets', { walletIds: [walletId], deleteWithoutExport: true });
      await putBack(raw, kept);
      return signWith(caller, addresses[0] as string);
    },
  },
  {
    name: 'a deleted account is put back with its index entries',
    running: 'STATE_TAMPERED',
    reported: /the walletAccount \S+ was deleted, and restored/,
    onlyHere: true,
    async edit({ raw, caller }) {
      const { kept, address } = await deleteAccount(raw, caller);
      await putBack(raw, kept);
      return signWith(caller, address);
    },
  },
  {
    name: 'a deleted account is put back to be listed',
    running: 'STATE_TAMPERED',
    reported: /the walletAccount \S+ was deleted, and restored/,
    onlyHere: true,
    async edit({ raw, caller }) {
      const { kept, walletId } = await deleteAccount(raw, caller);
      await putBack(raw, kept);
      return (url) => caller.with({ url }).query('listWalletAccounts', { walletId });
    },
  },
  {
    name: 'an account of a deleted wallet is put back without its wallet',
    running: 'STATE_TAMPERED',
    reported: /the wallet \S+ of a stored account is missing/,
    onlyHere: true,
    async edit({ raw, caller }) {
      const { walletId } = await createWallet(caller);
      const kept = await rowsOf(raw, 'resources', 'WHERE parent_id = ?', walletId);
      await caller.result('deleteWallets', { walletIds: [walletId], deleteWithoutExport: true });
      await putBack(raw, kept);
      return (url) => caller.with({ url }).query('listWalletAccounts');
    },
  },
  {
    name: 'a deleted account is put back, and its wallet is rolled back',
    running: 'STATE_TAMPERED',
    reported: wholeState,
    async edit({ raw, caller }) {
      const { kept, wallet, address } = await deleteAccount(raw, caller);
      await putBack(raw, kept);
      await rollBack(raw, 'resources', wallet);
      return signWith(caller, address);
    },
  },
  {
    name: 'a disabled private key is rolled back, with its MAC',
    running: 'STATE_TAMPERED',
    reported: wholeState,
    async edit({ raw, caller }) {
      const privateKeyId = await createPrivateKey(caller);
      const kept = await one(raw, "SELECT * FROM resources WHERE kind = 'privateKey' AND id = ?", privateKeyId);
      await caller.result('disablePrivateKey', { privateKeyId });
      await rollBack(raw, 'resources', kept);
      return signWith(caller, privateKeyId);
    },
  },
  ...['0', LARGE].map(
    (writtenBy): TamperCase => ({
      name: `D271, D523: the version that wrote a private key is edited to ${writtenBy}`,
      running: 'STATE_TAMPERED',
      reported: /the privateKey \S+ was changed or inserted/,
      onlyHere: true,
      async edit({ raw, caller }) {
        const privateKeyId = await createPrivateKey(caller);
        const sql = `UPDATE resources SET written_by = ${writtenBy} WHERE kind = 'privateKey' AND id = ?`;
        await changed(raw.run(sql, privateKeyId));
        return signWith(caller, privateKeyId);
      },
    }),
  ),
];
