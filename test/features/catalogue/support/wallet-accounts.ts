import type { Caller } from '../../../support/caller.ts';
import { createWallet } from '../../../support/world.ts';

/** The fields of a listed account that tests use. */
export interface Account {
  readonly walletAccountId: string;
  readonly address: string;
  readonly path: string;
}

/** The accounts of a wallet, ordered by path. */
export async function accountsOf(caller: Caller, walletId: string): Promise<Account[]> {
  const { accounts } = await caller.data('listWalletAccounts', { walletId, paginationOptions: { limit: '100' } });
  return accounts.sort((a: Account, b: Account) => (a.path < b.path ? -1 : 1));
}

/** A new wallet and its accounts. */
export async function walletWith(caller: Caller, count: number): Promise<{ walletId: string; accounts: Account[] }> {
  const { walletId } = await createWallet(caller, count);
  return { walletId, accounts: await accountsOf(caller, walletId) };
}

/** The answer when signing with a deleted account. */
export const unknown = { status: 404, code: 'SIGN_WITH_NOT_FOUND', fields: ['signWith'] };
/** Parameters that delete accounts, exported or not. */
export const remove = (...accounts: (Account | undefined)[]) => ({
  walletAccountIds: accounts.map((account) => account?.walletAccountId),
  deleteWithoutExport: true,
});
