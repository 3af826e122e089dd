import { allChains } from '../chains.ts';
import type { TokenInfo, TokenList } from './token-list.ts';

/** The tokens that the service ships, by their CAIP-19 names. */
export const shippedTokens: ReadonlyMap<string, TokenInfo> = new Map(
  allChains.flatMap(({ assets }) => assets.tokens.map(([id, symbol, decimals]) => [id, { symbol, decimals }])),
);

/** The tokens that the service ships. An organization's own list goes before it. */
export const defaultTokens: TokenList = (assetId) => shippedTokens.get(assetId);
