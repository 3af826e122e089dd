import { queries } from '@countersign/contract';
import type { Resource } from '../../organizations/records.ts';
import { showWallet } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { matcherOf, matchingPage } from '../matching.ts';
import { listResources, toPage } from '../page.ts';

export const listWallets = resolve(queries.listWallets, async (context, { matching, paginationOptions }) => {
  const { organization, resources, showBeyondSpec } = context;
  const show = (wallet: Resource<'wallet'>) => showWallet(wallet, showBeyondSpec ? organization : undefined);
  if (matching === undefined) return { wallets: await listResources(context, 'wallet', paginationOptions, show) };
  const isMatch = matcherOf(matching);
  const { found, next } = await matchingPage(
    context,
    toPage(paginationOptions),
    (page) => resources.page(organization.id, 'wallet', page),
    ({ id, body }) => isMatch(id, [body.walletName]),
  );
  return { wallets: found.map(show), ...(next !== undefined && { next }) };
});
