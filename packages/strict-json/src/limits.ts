/** What one text may hold at most. */
export interface JsonLimits {
  /** The whole text: bytes if it is given as bytes, characters if it is a string. Unbounded if left out. */
  readonly length?: number;
  /** Objects and arrays within each other. */
  readonly depth: number;
  /** Values of all kinds in the whole text. */
  readonly values: number;
  /** Names in one object. */
  readonly names: number;
}

/** Far more than any request needs. The length is left to the place that receives the bytes. */
export const defaultJsonLimits: JsonLimits = Object.freeze({ depth: 32, values: 100_000, names: 1_000 });
