/** The decimals of a token by chain (CAIP-2: `eip155:1`). They can differ between chains. */
export type TokenUnit = ReadonlyMap<string, number>;
