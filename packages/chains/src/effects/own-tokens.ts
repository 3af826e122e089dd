import { chainOfAsset } from '../chains.ts';
import { lookalikeKeys } from '../shared/lookalikes.ts';
import { Memo } from '../shared/memo.ts';
import { defaultTokens, shippedTokens } from './default-tokens.ts';
import type { TokenInfo, TokenList } from './token-list.ts';

/** A shipped token or coin that an entry of an organization would redefine or imitate. */
export interface ShippedConflict {
  /** ASSET: the contract is a shipped token. SYMBOL: a shipped token or coin of the network has this symbol, or one that looks like it. */
  readonly kind: 'ASSET' | 'SYMBOL';
  /** The symbol of the shipped token or coin. */
  readonly symbol: string;
}

/**
 * The token list of an organization with these entries.
 * SECURITY: D455: shipped entries win, and an entry that imitates one does not count. Otherwise anyone who may list tokens changes what
 * stored policies, limits and sentences mean.
 */
export function withOwnTokens(own: (assetId: string) => Omit<TokenInfo, 'definedBy'> | undefined): TokenList {
  return (id) => {
    const shipped = defaultTokens(id);
    if (shipped !== undefined) return shipped;
    const entry = own(id);
    if (entry === undefined || conflictWithShipped(id, entry.symbol) !== undefined) return undefined;
    return { symbol: entry.symbol, decimals: entry.decimals, definedBy: 'ORGANIZATION' };
  };
}

/** The conflict of an entry (canonical CAIP-19 name and symbol) with the shipped tokens and coins, or undefined. */
export function conflictWithShipped(id: string, symbol: string): ShippedConflict | undefined {
  return conflicts.get(`${id} ${symbol}`, () => ({ found: findConflict(id, symbol) })).found;
}

const conflicts = new Memo<{ readonly found: ShippedConflict | undefined }>(10_000);

function findConflict(id: string, symbol: string): ShippedConflict | undefined {
  shipped ??= readShipped();
  const redefined = shipped.byContract.get(contractOf(id));
  if (redefined !== undefined) return { kind: 'ASSET', symbol: redefined };
  const [network = ''] = id.split('/');
  const coin = chainOfAsset(id)?.assets.coin(network).symbol;
  const coinKeys = new Map((coin === undefined ? [] : lookalikeKeys(coin)).map((key) => [key, coin]));
  for (const key of lookalikeKeys(symbol)) {
    const imitated = coinKeys.get(key) ?? shipped.bySymbol.get(`${network} ${key}`);
    if (imitated !== undefined) return { kind: 'SYMBOL', symbol: imitated };
  }
  return undefined;
}

/** Symbols of shipped tokens, by their contracts and by their networks and keys. Made when an organization first lists a token. */
let shipped: ReturnType<typeof readShipped> | undefined;

function readShipped() {
  const byContract = new Map<string, string>();
  const bySymbol = new Map<string, string>();
  for (const [id, { symbol }] of shippedTokens) {
    byContract.set(contractOf(id), symbol);
    const [network = ''] = id.split('/');
    for (const key of lookalikeKeys(symbol)) bySymbol.set(`${network} ${key}`, symbol);
  }
  return { byContract, bySymbol };
}

/** The network and the contract of an asset, without the token standard: a shipped token stays one under another standard. */
function contractOf(id: string): string {
  const [network = '', asset = ''] = id.split('/');
  return `${network} ${asset.slice(asset.indexOf(':') + 1)}`;
}
