import type { Asset } from './effect.ts';

/** What a token list says about a token. */
export interface TokenInfo {
  readonly symbol: string;
  readonly decimals: number;
  /** Present if the organization lists the token. The service lists the others. */
  readonly definedBy?: 'ORGANIZATION';
}

/** Tokens by the CAIP-19 name of the asset. */
export type TokenList = (assetId: string) => TokenInfo | undefined;

/** A token that a list names. */
export function listedToken(id: string, { symbol, decimals, definedBy }: TokenInfo): Asset {
  return { id, kind: 'TOKEN', symbol, decimals, ...(definedBy && { definedBy }) };
}
