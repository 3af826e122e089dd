import { queries } from '@countersign/contract';
import { showWallet } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { listResources } from '../page.ts';

export const listWallets = resolve(queries.listWallets, async (context, { paginationOptions }) => ({
  wallets: await listResources(context, 'wallet', paginationOptions, (wallet) =>
    showWallet(wallet, context.showBeyondSpec ? context.organization : undefined),
  ),
}));
