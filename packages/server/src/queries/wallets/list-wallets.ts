import { queries } from '@countersign/contract';
import { showWallet } from '../../organizations/show.ts';
import { resolve } from '../../pipeline/query.ts';

export const listWallets = resolve(queries.listWallets, async ({ resources, organization }) => ({
  wallets: (await resources.list(organization.id, 'wallet')).map(showWallet),
}));
