import type { Asset } from '../effects/effect.ts';
import { listedToken, type TokenList } from '../effects/token-list.ts';

/** CAIP-2 name of the main network. A transaction does not name its network. */
export const TRON_NETWORK = 'tron:0x2b6653dc';

export const TRX: Asset = { id: `${TRON_NETWORK}/slip44:195`, kind: 'COIN', symbol: 'TRX', decimals: 6 };

/** A token of a contract, with the symbol and decimals of the token list if that names it. */
export function trc20(contract: string, tokens: TokenList | undefined): Asset {
  return listed(`${TRON_NETWORK}/trc20:${contract}`, tokens);
}

/** A token of the protocol itself, by its number. The protocol keeps the balances, so every number is a token. */
export function trc10(id: string, tokens: TokenList | undefined): Asset {
  return listed(`${TRON_NETWORK}/trc10:${isTrc10(id) ? id : 'unknown'}`, tokens);
}

/** Whether a text is the number of a TRC-10 token. Before 2018 such tokens went by a name. */
export function isTrc10(id: string): boolean {
  return /^[0-9]{1,19}$/.test(id);
}

function listed(id: string, tokens: TokenList | undefined): Asset {
  const found = tokens?.(id);
  return found === undefined ? { id, kind: 'TOKEN' } : listedToken(id, found);
}
