import { shippedTokens } from '@countersign/chains';
import { queries, type TokenShape } from '@countersign/contract';
import { showToken } from '../../organizations/address-book.ts';
import { resolve } from '../../pipeline/query.ts';
import { listRecords } from '../page.ts';

/** Built-in tokens have no id, so they cannot be page cursors. */
const shipped: readonly TokenShape[] = [...shippedTokens].map(([asset, token]) => ({
  tokenId: '',
  asset,
  ...token,
  source: 'DEFAULT',
}));

export const listTokens = resolve(queries.listTokens, async (context, { paginationOptions }) => ({
  tokens: await listRecords(context, context.organization.records.token, paginationOptions, showToken, { others: shipped }),
}));
