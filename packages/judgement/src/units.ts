import { shippedTokens } from '@countersign/chains';
import type { TokenUnit } from '@countersign/policy';

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
