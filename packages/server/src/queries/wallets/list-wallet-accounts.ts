import { queries } from '@countersign/contract';
import { showWalletAccount } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';
import { toPage } from '../page.ts';

export const listWalletAccounts = resolve(queries.listWalletAccounts, async ({ resources, organization }, input) => {
  const { walletId, address, includeWalletDetails = false, paginationOptions } = input;
  if (walletId !== undefined && (await resources.get(organization.id, 'wallet', walletId)) === undefined)
    throw notFound('wallet', 'walletId');
  const accounts =
    address === undefined
      ? await resources.page(organization.id, 'walletAccount', toPage(paginationOptions), walletId)
      : (await resources.accountsOf(organization.id, address)).filter(
          ({ body }) => (walletId ?? body.walletId) === body.walletId,
        );
  const walletIds = includeWalletDetails ? accounts.map(({ body }) => body.walletId) : [];
  const wallets = await resources.walletsOf(organization.id, walletIds);
  return { accounts: accounts.map((account) => showWalletAccount(organization.id, account, wallets.get(account.body.walletId))) };
});
