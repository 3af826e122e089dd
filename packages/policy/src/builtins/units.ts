/** The decimals of a token by chain (CAIP-2: `eip155:1`). They are not the same on every chain. */
export type TokenUnit = ReadonlyMap<string, number>;
