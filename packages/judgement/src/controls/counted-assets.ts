import { assetOnChain, coinOfToken, tokensOfCoin } from '@countersign/chains';
import type { ControlModel, CountedAsset } from './model.ts';

/**
 * The entries of a limit that count a moved asset. Empty if it counts another one. `UNTOLD`: it may count the asset, because the transaction
 * does not tell which token moves.
 * SECURITY: D482: a wrapped coin counts as the coin, unless the limit lists it on its own. D484: what is valid on every chain counts on
 * each of them. The first rules did neither.
 */
export function entriesFor({ assets, isStrict }: ControlModel, asset: string): readonly CountedAsset[] | 'UNTOLD' {
  if (assets === undefined) return none;
  const own = isStrict && isOnEveryChain(asset) ? assetsOnChains(assets, asset) : [asset];
  const entries = own.flatMap((each) => {
    const entry = assets.get(each) ?? assets.get(collectionOf(each)) ?? (isStrict ? coinEntry(assets, each) : undefined);
    return entry ?? [];
  });
  if (entries.length > 0) return entries;
  return isUntold(asset) && mayBeOneOf(assets, asset, isStrict) ? 'UNTOLD' : none;
}

type Assets = NonNullable<ControlModel['assets']>;

const none: readonly CountedAsset[] = [];

function coinEntry(assets: Assets, token: string): CountedAsset | undefined {
  const coin = coinOfToken(token);
  return coin === undefined ? undefined : assets.get(coin);
}

/** Whether an asset belongs to a signature that names no chain. */
export function isOnEveryChain(asset: string): boolean {
  return assetOnChain(asset, 'eip155:1') !== asset;
}

/** Such an asset on every chain that the limit mentions. */
function assetsOnChains(assets: Assets, asset: string): readonly string[] {
  const networks = new Set([...assets.keys()].map((key) => key.slice(0, key.indexOf('/'))));
  return [...networks].map((network) => assetOnChain(asset, network));
}

/** The collection of a single token: `eip155:1/erc721:0x…/7` belongs to `eip155:1/erc721:0x…`. */
function collectionOf(asset: string): string {
  return asset.split('/').slice(0, 2).join('/');
}

/** The names under which a limit can list an asset of one chain. */
export function listedNames(asset: string): readonly string[] {
  return [asset, collectionOf(asset), coinOfToken(asset) ?? asset];
}

function isUntold(asset: string): boolean {
  return asset.endsWith(':unknown');
}

/** SECURITY: a token whose contract the transaction does not contain may be any token of its chain, also a wrapped coin. */
function mayBeOneOf(assets: Assets, asset: string, isStrict: boolean): boolean {
  const start = asset.slice(0, asset.lastIndexOf(':') + 1);
  return [...assets.keys()].some(
    (key) => key.startsWith(start) || (isStrict && tokensOfCoin(key).some((token) => token.startsWith(start))),
  );
}
