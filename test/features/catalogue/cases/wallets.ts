import type { Json } from '../../../support/caller.ts';
import { createWallet, ethereumAccount, madeUpId, uniqueName } from '../../../support/world.ts';
import type { CatalogueCases, Stage } from '../support/catalogue-case.ts';

export const walletCases: CatalogueCases = {
  ACTIVITY_TYPE_CREATE_WALLET: {
    succeeds: () => ({ params: { walletName: uniqueName('Wallet'), accounts: [ethereumAccount(0)] } }),
    refused: () => ({
      params: { walletName: uniqueName('Wallet'), accounts: [ethereumAccount(0), ethereumAccount(0)] },
      code: 'REQUEST_INVALID',
      fields: ['accounts.1.path'],
    }),
  },
  ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS: {
    succeeds: async ({ root }) => ({
      params: { walletId: (await createWallet(root)).walletId, accounts: [ethereumAccount(1)] },
    }),
    refused: () => ({
      params: { walletId: madeUpId(), accounts: [ethereumAccount(0)] },
      code: 'NOT_FOUND',
      fields: ['walletId'],
    }),
  },
  ACTIVITY_TYPE_UPDATE_WALLET: {
    succeeds: async ({ root }) => ({
      params: { walletId: (await createWallet(root)).walletId, walletName: uniqueName('Renamed') },
    }),
    refused: () => ({
      params: { walletId: madeUpId(), walletName: uniqueName('Renamed') },
      code: 'NOT_FOUND',
      fields: ['walletId'],
    }),
  },
  ACTIVITY_TYPE_DELETE_WALLETS: {
    succeeds: async ({ root }) => ({
      params: { walletIds: [(await createWallet(root)).walletId], deleteWithoutExport: true },
    }),
    refused: async ({ root }) => ({
      params: { walletIds: [(await createWallet(root)).walletId] },
      code: 'PRECONDITION_FAILED',
      fields: ['walletIds.0'],
    }),
  },
  ACTIVITY_TYPE_DELETE_WALLET_ACCOUNTS: {
    succeeds: async (stage) => ({ params: { walletAccountIds: await newAccounts(stage), deleteWithoutExport: true } }),
    refused: async (stage) => ({
      params: { walletAccountIds: await newAccounts(stage) },
      code: 'PRECONDITION_FAILED',
      fields: ['walletAccountIds.0'],
    }),
  },
};

/** The accounts of a new wallet. */
async function newAccounts({ root }: Stage): Promise<string[]> {
  const { walletId } = await createWallet(root, 2);
  const { accounts } = await root.data('listWalletAccounts', { walletId });
  return accounts.map(({ walletAccountId }: Json) => walletAccountId);
}
