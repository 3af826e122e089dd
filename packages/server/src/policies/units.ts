import type { TokenUnit } from '@countersign/policy';

/** A token of a list: the CAIP-2 name of its chain, its symbol and its decimals. */
type Row = readonly [chain: string, symbol: string, decimals: number];

const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

/** The stablecoins of Circle, Tether and Sky, from the issuers' own pages. Those of BNB Smart Chain have 18 decimals. */
const shipped: readonly Row[] = [
  ...['1', '10', '137', '8453', '42161', '43114'].map((chain): Row => [`eip155:${chain}`, 'USDC', 6]),
  ['eip155:56', 'USDC', 18],
  [SOLANA, 'USDC', 6],
  ...['1', '10', '137', '42161', '43114'].map((chain): Row => [`eip155:${chain}`, 'USDT', 6]),
  ['eip155:56', 'USDT', 18],
  [SOLANA, 'USDT', 6],
  ['tron:0x2b6653dc', 'USDT', 6],
  ...['1', '10', '137', '8453', '42161'].map((chain): Row => [`eip155:${chain}`, 'DAI', 18]),
];

/** The units that the tokens of a list make: their decimals by symbol and chain. */
export function unitsOf(rows: Iterable<Row>): ReadonlyMap<string, TokenUnit> {
  const units = new Map<string, Map<string, number>>();
  for (const [chain, symbol, decimals] of rows) {
    const unit = units.get(symbol) ?? new Map<string, number>();
    units.set(symbol, unit.set(chain, decimals));
  }
  return units;
}

/**
 * The units of tokens that policies may be written in.
 * SECURITY: never from the lists of organizations. A user who adds a token must not change what a stored policy means. A row with other
 * decimals makes stored policies that do not name their chain invalid: then an ALLOW grants nothing and a DENY denies.
 */
export const tokenUnits = unitsOf(shipped);
