/** What a token list says about a token. */
export interface TokenInfo {
  readonly symbol: string;
  readonly decimals: number;
}

/** Tokens by the CAIP-19 name of the asset. Those of the organization come before those that the service ships. */
export type TokenList = (assetId: string) => TokenInfo | undefined;
