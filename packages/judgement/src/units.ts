import { shippedCoins, shippedTokens } from '@countersign/chains';
import type { NamedAsset, TokenUnit } from '@countersign/policy';

/** A token of a list: its CAIP-19 name, its symbol and its decimals. */
type Row = readonly [asset: string, token: { readonly symbol: string; readonly decimals: number }];

/** The units of the tokens in a list: their decimals by symbol and chain. */
export function unitsOf(rows: Iterable<Row>): ReadonlyMap<string, TokenUnit> {
  const units = new Map<string, Map<string, number>>();
  for (const [asset, { symbol, decimals }] of rows) {
    const [chain = ''] = asset.split('/');
    const unit = units.get(symbol) ?? new Map<string, number>();
    units.set(symbol, unit.set(chain, decimals));
  }
  return units;
}

/**
 * The units of tokens that policies may use.
 * SECURITY: never from the lists of organizations. A user who adds a token must not change the meaning of a stored policy. A row with
 * different decimals makes stored policies that do not name their chain invalid: then an ALLOW grants nothing and a DENY denies.
 */
export const tokenUnits = unitsOf(shippedTokens);

/** The main network of Ethereum. A token without a stated chain is the one there. */
const ETHEREUM = 'eip155:1';

/**
 * The assets that policies may name.
 * SECURITY: shipped entries only, as for units. A name of a coin never means a token. Only one chain is a home, so that further rows do not
 * change what a stored policy means.
 */
export const namedAssets: ReadonlyMap<string, NamedAsset> = new Map([
  ...[...unitsOf(shippedTokens).keys()].map((symbol) => [symbol, namedToken(symbol)] as const),
  ...shippedCoins.map(({ symbol, decimals, ids }) => [symbol, named(ids.map((id) => [id, { decimals }]))] as const),
]);

function namedToken(symbol: string): NamedAsset {
  return named([...shippedTokens].filter(([, token]) => token.symbol === symbol));
}

function named(rows: readonly (readonly [id: string, { readonly decimals: number }])[]): NamedAsset {
  const byChain = new Map(rows.map(([id, { decimals }]) => [id.split('/')[0] ?? '', { id, decimals }]));
  const [first = ''] = byChain.keys();
  const home = byChain.has(ETHEREUM) ? ETHEREUM : rows.length === 1 && isCoin(rows[0]?.[0]) ? first : undefined;
  return home === undefined ? { byChain } : { home, byChain };
}

function isCoin(id = ''): boolean {
  return id.includes('/slip44:');
}
