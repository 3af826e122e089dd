/** A shipped asset by chain (CAIP-2). */
export interface NamedAsset {
  /** The chain that a policy means if it states none. Without it, a policy has to state the chain. */
  readonly home?: string;
  readonly byChain: ReadonlyMap<string, { readonly id: string; readonly decimals: number }>;
}

/** The decimals of a token by chain (CAIP-2: `eip155:1`). They can differ between chains. */
export type TokenUnit = ReadonlyMap<string, number>;
