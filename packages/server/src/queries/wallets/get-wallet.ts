import { queries } from '@countersign/contract';
import { showWallet } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';

export const getWallet = resolve(queries.getWallet, async ({ resources, organization, showBeyondSpec }, { walletId }) => {
  const wallet = await resources.get(organization.id, 'wallet', walletId);
  if (wallet === undefined) throw notFound('wallet', 'walletId');
  return { wallet: showWallet(wallet, showBeyondSpec ? organization : undefined) };
});
