import type { TokenInfo, TokenList } from '../token-list.ts';
import { ethereumTokens } from './ethereum-tokens.ts';

/**
 * The mints of Circle and Tether on Solana and Tether's contract on Tron. In November 2026 the mints were found in a copy of Uniswap's
 * default token list, and the contract in Trust Wallet's assets and, with its decimals, in many public repositories.
 */
const others: readonly (readonly [id: string, symbol: string, decimals: number])[] = [
  ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'USDC', 6],
  ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', 'USDT', 6],
  ['tron:0x2b6653dc/trc20:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'USDT', 6],
];

/** The tokens that the service ships, by their CAIP-19 names. */
export const shippedTokens: ReadonlyMap<string, TokenInfo> = new Map([
  ...Object.entries(ethereumTokens).flatMap(([chainId, rows]) =>
    rows.map(
      ([symbol, address, decimals]) => [`eip155:${chainId}/erc20:${address.toLowerCase()}`, { symbol, decimals }] as const,
    ),
  ),
  ...others.map(([id, symbol, decimals]) => [id, { symbol, decimals }] as const),
]);

/** The tokens that the service ships. An organization's own list goes before it. */
export const defaultTokens: TokenList = (assetId) => shippedTokens.get(assetId);
