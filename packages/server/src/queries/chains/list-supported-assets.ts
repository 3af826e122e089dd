import { type Chain, formatUnits, shippedTokens } from '@countersign/chains';
import { queries } from '@countersign/contract';
import { tokenStandards } from '../../chain-nodes/balances.ts';
import { ignoredBecause } from '../../organizations/address-book.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { resolve } from '../../pipeline/query.ts';
import { canonicalChain, chainEntry } from './caip2.ts';

/** An asset whose balance is shown. */
export interface SupportedAsset {
  readonly caip19: string;
  readonly symbol?: string;
  readonly decimals?: number;
}

export const listSupportedAssets = resolve(queries.listSupportedAssets, async ({ chainReader, organization }, { caip2 }) => {
  const chain = canonicalChain(caip2);
  const entry = chainEntry(chain);
  chainReader(chain);
  return { assets: [coinOf(entry, chain), ...tokensOf(organization, entry, chain)] };
});

/** An amount as people read it, if the decimals of the asset are known. */
export function displayOf({ decimals }: SupportedAsset, amount: bigint): { display?: { crypto: string } } {
  return decimals === undefined ? {} : { display: { crypto: formatUnits(amount, decimals) } };
}

/** The coin of a chain. */
export function coinOf({ assets }: Chain, chain: string): SupportedAsset {
  const kind = assets.kinds.find(({ standard }) => standard === 'slip44');
  const { symbol, decimals } = assets.coin(chain);
  return {
    caip19: `${chain}/${kind?.example}`,
    ...(symbol !== undefined && { symbol }),
    ...(decimals !== undefined && { decimals }),
  };
}

/** The tokens of a chain that the service and the organization list, by what counts in policies and sentences. */
export function tokensOf({ records }: Snapshot, { assets }: Chain, chain: string): SupportedAsset[] {
  const prefix = `${chain}/${tokenStandards[assets.namespace as keyof typeof tokenStandards]}:`;
  const shipped = [...shippedTokens].map(([asset, { symbol, decimals }]) => ({ asset, symbol, decimals }));
  const own = [...records.token.values()].filter(({ asset, symbol }) => ignoredBecause(asset, symbol) === undefined);
  return [...shipped, ...own]
    .filter(({ asset }) => asset.startsWith(prefix))
    .map(({ asset, symbol, decimals }) => ({ caip19: asset, symbol, decimals }));
}
