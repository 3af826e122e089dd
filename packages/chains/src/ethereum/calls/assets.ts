import type { Asset } from '../../effects/effect.ts';
import { listedToken, type TokenList } from '../../effects/token-list.ts';
import { coinSymbol } from '../networks.ts';

/** The standards of tokens, by the names that CAIP-19 gives them. */
export type TokenStandard = 'erc20' | 'erc721' | 'erc1155';

/** Chain id 0 stands for a signature that names no chain. No chain has it, so no list of assets holds such a name. */
function chainName(chainId: bigint | undefined): string {
  return `eip155:${chainId ?? 0n}`;
}

/** An asset of a signature that names no chain, as the asset of one of the chains on which it is valid. Other assets stay the same. */
export function assetOnChain(asset: string, network: string): string {
  const none = `${chainName(undefined)}/`;
  return asset.startsWith(none) && network.startsWith('eip155:') ? `${network}/${asset.slice(none.length)}` : asset;
}

/** The coin of a chain. */
export function coinOf(chainId: bigint | undefined): Asset {
  const symbol = chainId === undefined ? undefined : coinSymbol(chainId);
  const id = `${chainName(chainId)}/slip44:60`;
  return symbol === undefined ? { id, kind: 'COIN', decimals: 18 } : { id, kind: 'COIN', symbol, decimals: 18 };
}

/** The CAIP-19 name of a token contract. For collections it names the whole collection. */
export function contractAssetId(chainId: bigint | undefined, standard: TokenStandard, address: string): string {
  return `${chainName(chainId)}/${standard}:${address}`;
}

/** An ERC-20 token. It has a symbol and decimals only where the list names it. */
export function tokenAsset(chainId: bigint | undefined, address: string, tokens: TokenList | undefined): Asset {
  const id = contractAssetId(chainId, 'erc20', address);
  const info = tokens?.(id);
  return info === undefined ? { id, kind: 'TOKEN' } : listedToken(id, info);
}

/** One token of a collection, or the whole collection without `tokenId`. Tokens are counted, so they have no decimals. */
export function collectionAsset(
  chainId: bigint | undefined,
  standard: 'erc721' | 'erc1155',
  address: string,
  tokens: TokenList | undefined,
  tokenId?: bigint,
): Asset {
  const collection = contractAssetId(chainId, standard, address);
  const info = tokens?.(collection);
  const id = tokenId === undefined ? collection : `${collection}/${tokenId}`;
  return info === undefined ? { id, kind: 'NFT', decimals: 0 } : { ...listedToken(id, info), kind: 'NFT', decimals: 0 };
}
