import type { AssetKind } from '../chain.ts';
import { allChains, chainOfAsset } from '../chains.ts';
import { ChainError } from '../errors.ts';
import type { TokenInfo, TokenList } from './token-list.ts';

/** Kinds of asset by the beginning of their CAIP-19 names. */
const kinds: readonly { readonly prefix: RegExp; readonly kind: AssetKind }[] = allChains.flatMap(({ assets }) =>
  assets.kinds.map((kind) => ({ prefix: new RegExp(`^${assets.network.pattern}/${kind.standard}:`), kind })),
);

/** An asset by its canonical CAIP-19 name, and its kind. */
interface KnownAsset {
  readonly id: string;
  readonly kind: AssetKind;
}

function readAsset(text: string): KnownAsset | undefined {
  for (const { prefix, kind } of kinds) {
    const [start] = prefix.exec(text) ?? [];
    if (start === undefined) continue;
    try {
      const reference = kind.normalize(text.slice(start.length));
      return reference === undefined ? undefined : { id: start + reference, kind };
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      return undefined;
    }
  }
  return undefined;
}

/** The CAIP-19 name of a coin or token in the form that effects have; undefined for assets that no effect can name. */
export function canonicalAsset(text: string): string | undefined {
  return readAsset(text)?.id;
}

/** As `canonicalAsset`, for tokens of contracts only. */
export function canonicalToken(text: string): string | undefined {
  const asset = readAsset(text);
  return asset?.kind.isContract === true ? asset.id : undefined;
}

/** Symbol and decimals of an asset by its canonical name: those of a coin, or those of a token in the list. */
export function assetInfo(id: string, tokens: TokenList): Partial<TokenInfo> | undefined {
  const [network = '', reference = ''] = id.split('/');
  if (reference.startsWith('slip44:')) {
    const { symbol, decimals } = chainOfAsset(id)?.assets.coin(network) ?? {};
    return { ...(symbol !== undefined && { symbol }), ...(decimals !== undefined && { decimals }) };
  }
  const decimals = readAsset(id)?.kind.decimals;
  return decimals === undefined ? tokens(id) : { ...tokens(id), decimals };
}

/** How the names of assets look, for error texts: `eip155:<chain id>/erc20:<address> (or erc721, erc1155), … or …`. */
function describeNames(isShown: (kind: AssetKind) => boolean): string {
  const names = allChains.flatMap(({ assets: { network, kinds: all } }) => {
    const [example, ...others] = all.filter(isShown).map((kind) => kind.example);
    if (example === undefined) return [];
    return [`${network.example}/${example}${others.length === 0 ? '' : ` (or ${others.join(', ')})`}`];
  });
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/** How the CAIP-19 names of all assets look, for error texts. */
export const assetNames: string = describeNames(() => true);

/** How the CAIP-19 names of tokens of contracts look, for error texts. */
export const tokenNames: string = describeNames(({ isContract }) => isContract === true);
