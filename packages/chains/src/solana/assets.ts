import type { Asset } from '../effects/effect.ts';
import { listedToken, type TokenList } from '../effects/token-list.ts';
import { present } from '../shared/present.ts';

/** CAIP-2 name of the main network. A message does not name its cluster, so its assets are shown as those of the main network. */
export const SOLANA_NETWORK = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

export const SOL: Asset = { id: `${SOLANA_NETWORK}/slip44:501`, kind: 'COIN', symbol: 'SOL', decimals: 9 };

/** A token whose mint the bytes do not tell. */
export const UNKNOWN_TOKEN: Asset = { id: `${SOLANA_NETWORK}/token:unknown`, kind: 'TOKEN' };

/**
 * The token of a mint. The Token programs themselves vouch that a mint is a token, and refuse an instruction that names wrong
 * decimals. So a mint that no list names has the decimals of its instruction, if that names any.
 */
export function tokenOf(mint: string, decimals: bigint | undefined, tokens: TokenList | undefined): Asset {
  const id = `${SOLANA_NETWORK}/token:${mint}`;
  const listed = tokens?.(id);
  if (listed !== undefined) return listedToken(id, listed);
  return { id, kind: 'TOKEN', ...present({ decimals: decimals === undefined ? undefined : Number(decimals) }) };
}
