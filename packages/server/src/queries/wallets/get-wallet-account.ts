import { ChainError, formatPath, parsePath } from '@countersign/chains';
import { queries } from '@countersign/contract';
import { showWalletAccount } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { invalidField, notFound } from '../../wire/refuse.ts';

export const getWalletAccount = resolve(
  queries.getWalletAccount,
  async ({ resources, organization }, { walletId, address, path }) => {
    if ((address === undefined) === (path === undefined)) throw invalidField('address', 'or path is required, but not both');
    if ((await resources.get(organization.id, 'wallet', walletId)) === undefined) throw notFound('wallet', 'walletId');
    const accounts =
      path !== undefined
        ? await resources.accountsAt(organization.id, walletId, canonicalPath(path))
        : await resources.accountsOf(organization.id, address as string);
    // A path can have one account per address format. Return the first one that was created.
    const account = accounts.find((candidate) => candidate.body.walletId === walletId);
    if (account === undefined) throw notFound('wallet account', path === undefined ? 'address' : 'path');
    return { account: showWalletAccount(organization.id, account) };
  },
);

function canonicalPath(path: string): string {
  try {
    return formatPath(parsePath(path));
  } catch (error) {
    if (error instanceof ChainError) throw invalidField('path', `invalid path: ${error.message}`, { cause: error });
    throw error;
  }
}
