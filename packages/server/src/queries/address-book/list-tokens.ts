import { shippedTokens } from '@countersign/chains';
import { queries } from '@countersign/contract';
import { showToken } from '../../organizations/address-book.ts';
import { resolve } from '../../pipeline/query.ts';
import { listRecords } from '../page.ts';

/** Tokens of the service have no id, so no page could begin after one. */
export const listTokens = resolve(queries.listTokens, async ({ organization }, { paginationOptions }) => {
  const own = listRecords(organization.records.token, paginationOptions, showToken);
  if (paginationOptions !== undefined) return { tokens: own };
  const shipped = [...shippedTokens].map(([asset, token]) => ({ tokenId: '', asset, ...token, source: 'DEFAULT' as const }));
  return { tokens: [...own, ...shipped] };
});
