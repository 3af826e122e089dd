/** One operation that is repeated without a pause, to learn what it costs by itself. */
export interface Loop {
  readonly name: string;
  /** Does the operation once. `index` counts up, so that inputs can take turns. */
  once(index: number): void;
}

/** What the loop process is asked and answers. */
export interface LoopQuestion {
  readonly name: string;
  readonly seconds: number;
}

export type LoopAnswer =
  | { readonly kind: 'measured'; readonly operations: number; readonly cpuMicros: number }
  | { readonly kind: 'failed'; readonly message: string };
