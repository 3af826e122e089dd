import { BTC, bitcoinChainIds } from '../bitcoin/effects.ts';
import { allChains } from '../chains.ts';
import { coinOf } from '../ethereum/calls/assets.ts';
import { etherChains } from '../ethereum/networks.ts';
import { SOL } from '../solana/assets.ts';
import { TRX } from '../tron/assets.ts';
import type { TokenInfo, TokenList } from './token-list.ts';

/** The tokens that the service ships, by their CAIP-19 names. */
export const shippedTokens: ReadonlyMap<string, TokenInfo> = new Map(
  allChains.flatMap(({ assets }) => assets.tokens.map(([id, symbol, decimals]) => [id, { symbol, decimals }])),
);

/** A coin by the name of its unit: the chains (CAIP-2) whose coin it is, its CAIP-19 name there, and its decimals. */
interface ShippedCoin {
  readonly symbol: string;
  readonly decimals: number;
  readonly ids: readonly string[];
}

/** The coins that policies may name. Testnets of Bitcoin are left out: no signature is bound to one of them. */
export const shippedCoins: readonly ShippedCoin[] = [
  { symbol: 'ETH', decimals: 18, ids: etherChains.map((id) => coinOf(id).id) },
  { symbol: 'SOL', decimals: 9, ids: [SOL.id] },
  { symbol: 'TRX', decimals: 6, ids: [TRX.id] },
  { ...BTC, ids: [`bip122:${bitcoinChainIds.MAINNET}/slip44:0`] },
];

/** The tokens that the service ships. They go before the entries of an organization. */
export const defaultTokens: TokenList = (assetId) => shippedTokens.get(assetId);
