/** One operation, repeated without a pause to measure what it costs alone. */
export interface Loop {
  readonly name: string;
  /** Runs the operation once. `index` counts up, so inputs can rotate. */
  once(index: number): void;
}

/** A question to the loop process and its answer. */
export interface LoopQuestion {
  readonly name: string;
  readonly seconds: number;
}

export type LoopAnswer =
  | { readonly kind: 'measured'; readonly operations: number; readonly cpuMicros: number }
  | { readonly kind: 'failed'; readonly message: string };
