import { expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { startService } from '../../support/service.ts';
import {
  createMember,
  createSubOrganization,
  errorOf,
  ethereumAccount,
  ethereumPath,
  madeUpId,
  signParams,
  uniqueName,
} from '../../support/world.ts';
import { newTarget, phraseOf, runImport, STANDARD, STANDARD_ADDRESS, utf8 } from '../sign-in/transfer-support.ts';
import { expectSound } from './support/expect-sound.ts';
import { type Account, accountsOf, remove, unknown, walletWith } from './support/wallet-accounts.ts';

describeEngines('delete_wallet_accounts', (subject) => {
  test('a deleted account signs nothing, by address or id, and is found nowhere; other accounts keep working', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const { walletId, accounts } = await walletWith(root, 3);
    const [kept, gone, last] = accounts as [Account, Account, Account];
    const { wallet: before } = await root.data('getWallet', { walletId });
    for (const { address } of accounts) await root.result('signRawPayload', signParams(address));
    const params = remove(last, gone);
    expect(await root.result('deleteWalletAccounts', params)).toEqual({ walletAccountIds: params.walletAccountIds });
    for (const { walletAccountId, address, path } of [gone, last]) {
      for (const signWith of [address, address.toLowerCase(), walletAccountId]) {
        expect(errorOf(await root.submit('signRawPayload', signParams(signWith)))).toEqual(unknown);
      }
      expect(errorOf(await root.query('getWalletAccount', { walletId, address }))).toMatchObject({ status: 404 });
      expect(errorOf(await root.query('getWalletAccount', { walletId, path }))).toMatchObject({ status: 404 });
      const exported = { address, targetPublicKey: newTarget().hex };
      expect(errorOf(await root.submit('exportWalletAccount', exported))).toMatchObject({ status: 404, fields: ['address'] });
      const rows = 'SELECT id FROM resources WHERE id = ? UNION ALL SELECT id FROM lookups WHERE id = ?';
      expect(await subject().raw.all(rows, walletAccountId, walletAccountId)).toEqual([]);
    }
    expect(await accountsOf(root, walletId)).toEqual([kept]);
    expect((await root.data('getWallet', { walletId })).wallet).toEqual(before);
    await root.result('signRawPayload', signParams(kept.address));
    await expectSound(subject().service, root);
  });

  test('the path can be used again: the same address under a new id, which starts unexported', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const { walletId, accounts } = await walletWith(root, 1);
    const [first] = accounts as [Account];
    const target = { address: first.address, targetPublicKey: newTarget().hex };
    await root.result('exportWalletAccount', target);
    await root.result('deleteWalletAccounts', { walletAccountIds: [first.walletAccountId] });
    const again = { walletId, accounts: [ethereumAccount(0)] };
    expect(await root.result('createWalletAccounts', again)).toEqual({ addresses: [first.address] });
    const [second] = (await accountsOf(root, walletId)) as [Account];
    expect(second.walletAccountId).not.toBe(first.walletAccountId);
    await root.result('signRawPayload', signParams(first.address));
    expect(errorOf(await root.submit('signRawPayload', signParams(first.walletAccountId)))).toEqual(unknown);
    expect(errorOf(await root.submit('createWalletAccounts', again))).toMatchObject({ fields: ['accounts.0.path'] });
    const unexported = { walletAccountIds: [second.walletAccountId] };
    expect(errorOf(await root.submit('deleteWalletAccounts', unexported))).toMatchObject({ code: 'PRECONDITION_FAILED' });
    await root.result('deleteWalletAccounts', remove(second));
    expect(await accountsOf(root, walletId)).toEqual([]);
    await expectSound(subject().service, root);
  });

  test('without deleteWithoutExport, only accounts that were exported, alone or with their wallet, are deleted', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const { walletId, accounts } = await walletWith(root, 3);
    const [exported, ...others] = accounts as [Account, Account, Account];
    await root.result('exportWalletAccount', { address: exported.address, targetPublicKey: newTarget().hex });
    const refused = async (more: object, ...doomed: Account[]) => {
      const walletAccountIds = doomed.map(({ walletAccountId }) => walletAccountId);
      const answer = await root.submit('deleteWalletAccounts', { walletAccountIds, ...more });
      expect(answer.body.message).toContain(ethereumPath(1));
      return errorOf(answer);
    };
    const guarded = { status: 400, code: 'PRECONDITION_FAILED', fields: ['walletAccountIds.1'] };
    expect(await refused({}, exported, ...others)).toEqual(guarded);
    expect(await refused({ deleteWithoutExport: false }, exported, ...others)).toEqual(guarded);
    expect((await accountsOf(root, walletId)).map(({ address }) => address)).toEqual(accounts.map(({ address }) => address));
    await root.result('deleteWalletAccounts', { walletAccountIds: [exported.walletAccountId] });
    await phraseOf(root, walletId);
    await root.result('deleteWalletAccounts', { walletAccountIds: others.map(({ walletAccountId }) => walletAccountId) });
    expect(await accountsOf(root, walletId)).toEqual([]);
    await expectSound(subject().service, root);
  });

  test('all or nothing: an unknown, foreign or repeated id, or one of something else, keeps the other accounts', async () => {
    const [{ caller: root }, { caller: stranger }] = [
      await createSubOrganization(subject().service.root),
      await createSubOrganization(subject().service.root),
    ];
    const { walletId, accounts } = await walletWith(root, 2);
    const foreign = (await walletWith(stranger, 1)).accounts[0]?.walletAccountId;
    const [one, two] = accounts.map(({ walletAccountId }) => walletAccountId);
    const refused = async (...walletAccountIds: unknown[]) =>
      errorOf(await root.submit('deleteWalletAccounts', { walletAccountIds, deleteWithoutExport: true }));
    for (const other of [madeUpId(), foreign, walletId]) {
      expect(await refused(one, other, two)).toEqual({ status: 404, code: 'NOT_FOUND', fields: ['walletAccountIds.1'] });
    }
    expect(await refused(one, two, one)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['walletAccountIds.2'] });
    expect(await refused()).toMatchObject({ status: 400, fields: ['walletAccountIds'] });
    expect(await accountsOf(root, walletId)).toEqual(accounts);
    for (const { address } of accounts) await root.result('signRawPayload', signParams(address));
    await expectSound(subject().service, root);
  });

  test('accounts of several wallets are deleted together; their wallets can still be exported and deleted', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const [one, two] = [await walletWith(root, 2), await walletWith(root, 2)];
    await root.result('deleteWalletAccounts', remove(two.accounts[1], one.accounts[0], two.accounts[0]));
    expect(await accountsOf(root, one.walletId)).toEqual([one.accounts[1]]);
    expect(await accountsOf(root, two.walletId)).toEqual([]);
    await root.result('updateWallet', { walletId: one.walletId, walletName: uniqueName('Renamed') });
    await phraseOf(root, one.walletId);
    await root.result('deleteWalletAccounts', remove(one.accounts[1]));
    // The wallet's memory of deleted accounts survives its other changes.
    const wallet = await subject().service.services.organizations.resources.get(root.organizationId, 'wallet', one.walletId);
    const deleted = [...one.accounts].map(({ walletAccountId }) => walletAccountId);
    expect(wallet?.body).toMatchObject({ exported: true, deletedAccounts: deleted });
    await root.result('deleteWallets', { walletIds: [one.walletId] });
    expect(errorOf(await root.submit('deleteWallets', { walletIds: [two.walletId] }))).toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
    await root.result('deleteSubOrganization', { deleteWithoutExport: true });
    await expectSound(subject().service, root);
  });

  test('an address in two wallets signs again once one of its accounts is deleted', async () => {
    const { caller: root, userId } = await createSubOrganization(subject().service.root);
    const accounts = [ethereumAccount(0)];
    // Releases that did not compare imports could be brought to this.
    const earlier = await startService(subject().installation, {
      services: ({ organizations }) => ({
        organizations: { ...organizations, resources: { ...organizations.resources, list: async () => [] } },
      }),
    });
    const owner = { caller: root.with({ url: earlier.url }), userId };
    const twins = [];
    for (let index = 0; index < 2; index++) twins.push(await runImport(owner, 'wallet', utf8(STANDARD), { accounts }));
    await earlier.close();
    const ambiguous = await root.submit('signRawPayload', signParams(STANDARD_ADDRESS));
    expect(ambiguous.body.message).toContain('several keys');
    const [first] = await accountsOf(root, twins[0].walletId);
    await root.result('deleteWalletAccounts', remove(first));
    await root.result('signRawPayload', signParams(STANDARD_ADDRESS));
    const [second] = await accountsOf(root, twins[1].walletId);
    await root.result('deleteWalletAccounts', remove(second));
    expect(errorOf(await root.submit('signRawPayload', signParams(STANDARD_ADDRESS)))).toEqual(unknown);
  });

  test('policies see the wallets that lose accounts', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const { userId, caller } = await createMember(root);
    const [own, other] = [await walletWith(root, 2), await walletWith(root, 1)];
    await root.result('createPolicy', {
      policyName: uniqueName('Policy'),
      effect: 'EFFECT_ALLOW',
      condition: `activity.kind == 'DELETE_WALLET_ACCOUNTS' && activity.resource == 'WALLET' && activity.action == 'DELETE' && wallets.all(each, each.id == '${own.walletId}')`,
      consensus: `approvers.any(user, user.id == '${userId}')`,
    });
    const status = async (...doomed: (Account | undefined)[]) =>
      (await caller.submit('deleteWalletAccounts', remove(...doomed))).status;
    expect(await status(other.accounts[0])).toBe(403);
    expect(await status(own.accounts[0], other.accounts[0])).toBe(403);
    expect(await status(own.accounts[0], own.accounts[1])).toBe(200);
    expect((await caller.submit('deleteWallets', { walletIds: [own.walletId], deleteWithoutExport: true })).status).toBe(403);
  });
});

describeEngines(
  'the list of deleted accounts of a wallet',
  (subject) => {
    test('has a limit per wallet, which the answer names', async () => {
      const { caller: root } = await createSubOrganization(subject().service.root);
      const [full, other] = [await walletWith(root, 4), await walletWith(root, 2)];
      const refused = async (...doomed: (Account | undefined)[]) => {
        const answer = await root.submit('deleteWalletAccounts', remove(...doomed));
        expect(answer.body.message).toContain('more than 3 deleted accounts (maxDeletedAccounts)');
        return errorOf(answer);
      };
      const limit = { status: 409, code: 'LIMIT_EXCEEDED' };
      expect(await refused(...full.accounts)).toEqual({ ...limit, fields: ['walletAccountIds.3'] });
      await root.result('deleteWalletAccounts', remove(...full.accounts.slice(0, 3), ...other.accounts));
      expect(await refused(full.accounts[3])).toEqual({ ...limit, fields: ['walletAccountIds.0'] });
      await root.result('signRawPayload', signParams(full.accounts[3]?.address as string));
    });
  },
  { config: { maxDeletedAccounts: 3 } },
);
