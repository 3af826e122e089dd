import { queries } from '@countersign/contract';
import { resolve } from '../../pipeline/query.ts';
import { showWallet } from '../show.ts';

export const listWallets = resolve(queries.listWallets, async ({ resources, organization }) => ({
  wallets: (await resources.list(organization.id, 'wallet')).map(showWallet),
}));
