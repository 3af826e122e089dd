import { shippedTokens } from '@countersign/chains';
import { queries } from '@countersign/contract';
import { showToken } from '../../organizations/address-book.ts';
import { resolve } from '../../pipeline/query.ts';

export const listTokens = resolve(queries.listTokens, async ({ organization }) => ({
  tokens: [
    ...[...organization.records.token].map(([id, record]) => showToken(id, record)),
    ...[...shippedTokens].map(([asset, token]) => ({ tokenId: '', asset, ...token, source: 'DEFAULT' as const })),
  ],
}));
