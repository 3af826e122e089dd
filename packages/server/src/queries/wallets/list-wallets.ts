import { queries } from '@countersign/contract';
import { showWallet } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { listResources } from '../page.ts';

export const listWallets = resolve(queries.listWallets, async ({ resources, organization, endSlice }, { paginationOptions }) => ({
  wallets: await listResources(endSlice, resources, organization.id, 'wallet', paginationOptions, showWallet),
}));
