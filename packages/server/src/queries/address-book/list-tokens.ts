import { shippedTokens } from '@countersign/chains';
import { queries, type TokenShape } from '@countersign/contract';
import { showToken } from '../../organizations/address-book.ts';
import { resolve } from '../../pipeline/query.ts';
import { listRecords } from '../page.ts';

/** Tokens of the service have no id, so no page could begin after one. */
const shipped: readonly TokenShape[] = [...shippedTokens].map(([asset, token]) => ({
  tokenId: '',
  asset,
  ...token,
  source: 'DEFAULT',
}));

export const listTokens = resolve(queries.listTokens, async ({ organization: { records }, endSlice }, { paginationOptions }) => ({
  tokens: await listRecords(endSlice, records.token, paginationOptions, showToken, shipped),
}));
