import { allChains } from '../chains.ts';

const rows = allChains.flatMap(({ assets }) => assets.coinTokens);
const coins: ReadonlyMap<string, string> = new Map(rows);

/** The coin that a token is another form of, by CAIP-19 name: ETH for WETH. Undefined for every other asset. */
export function coinOfToken(asset: string): string | undefined {
  return coins.get(asset);
}

/** The tokens that are another form of a coin, by CAIP-19 name. */
export function tokensOfCoin(coin: string): readonly string[] {
  return rows.flatMap(([token, its]) => (its === coin ? [token] : []));
}
