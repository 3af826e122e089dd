/** What one text may hold at most. */
export interface JsonLimits {
  /** The whole text: bytes if it is given as bytes, characters if it is a string. Unbounded if left out. */
  readonly length?: number;
  /** Objects and arrays within each other. */
  readonly depth: number;
  /** Values of all kinds in the whole text. */
  readonly values: number;
  /**
   * Numbers in the whole text that are not plain integers of at most 15 digits, where those are kept as doubles: each costs a
   * comparison of decimals, hundreds of times what its bytes cost to send. Only the limit of values holds if left out.
   */
  readonly longNumbers?: number;
  /** Names in one object. */
  readonly names: number;
  /** Characters in one text that is a value, as it is read: UTF-16 code units. Unbounded if left out. */
  readonly text?: number;
  /** Items in one array. Only the limit of values holds if left out. */
  readonly items?: number;
}

/** Far more than any request needs. The length is left to the place that receives the bytes. */
export const defaultJsonLimits: JsonLimits = Object.freeze({ depth: 32, values: 100_000, longNumbers: 1_000, names: 1_000 });
