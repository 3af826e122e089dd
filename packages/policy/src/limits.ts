/** Bounds that keep every stage linear and small. All are inclusive. */
export interface PolicyLimits {
  /** UTF-16 code units of one expression. */
  readonly textLength: number;
  /** Nesting of parentheses, lists, calls, negations and postfix steps. INVARIANT: this bounds every recursion in the package. */
  readonly depth: number;
  /** Syntax nodes of one expression. INVARIANT: well below `steps`, so that an expression without list methods never runs out of steps. */
  readonly nodes: number;
  /** Items of one list literal. */
  readonly listItems: number;
  /** Steps of one evaluation: one per predicate node and element, and one per scanned element. */
  readonly steps: number;
  /** Diagnostics of one expression. Further ones are dropped. */
  readonly diagnostics: number;
}

/**
 * Bits of the largest integer that arithmetic may produce. The product of three 256-bit factors fits, and no step takes noticeably longer
 * than a comparison.
 */
export const MAX_INTEGER_BITS = 1024;

/** The limits of the language. A host may pass smaller ones. */
export const defaultLimits: PolicyLimits = Object.freeze({
  textLength: 32_768,
  depth: 64,
  nodes: 8_192,
  listItems: 1_000,
  steps: 25_000,
  diagnostics: 20,
});

/** What each limit is about, for the reference. */
export const limitDocs: Readonly<Record<keyof PolicyLimits, string>> = {
  textLength: 'UTF-16 code units of one expression',
  depth: 'Levels of parentheses, lists, calls, negations and postfix steps',
  nodes: 'Parts of one expression',
  listItems: 'Items of one list literal',
  steps: 'Steps of one evaluation: one for each part of a predicate and each element that it runs on',
  diagnostics: 'Diagnostics of one expression; further ones are omitted',
};
