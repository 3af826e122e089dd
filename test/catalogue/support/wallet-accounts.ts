import type { Caller } from '../../support/caller.ts';
import { createWallet } from '../../support/world.ts';

/** An account as listings show it, as far as tests look. */
export interface Account {
  readonly walletAccountId: string;
  readonly address: string;
  readonly path: string;
}

/** The accounts of a wallet in the order of their paths. */
export async function accountsOf(caller: Caller, walletId: string): Promise<Account[]> {
  const { accounts } = await caller.data('listWalletAccounts', { walletId, paginationOptions: { limit: '100' } });
  return accounts.sort((a: Account, b: Account) => (a.path < b.path ? -1 : 1));
}

/** A new wallet and its accounts. */
export async function walletWith(caller: Caller, count: number): Promise<{ walletId: string; accounts: Account[] }> {
  const { walletId } = await createWallet(caller, count);
  return { walletId, accounts: await accountsOf(caller, walletId) };
}

/** The answer to a signature with an account that is gone. */
export const unknown = { status: 404, code: 'SIGN_WITH_NOT_FOUND', fields: ['signWith'] };
/** The parameters that delete accounts, exported or not. */
export const remove = (...accounts: (Account | undefined)[]) => ({
  walletAccountIds: accounts.map((account) => account?.walletAccountId),
  deleteWithoutExport: true,
});
