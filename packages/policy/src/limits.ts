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

/** Bounds of one decision over all policies. */
export interface DecisionLimits {
  /** Steps of evaluating all policies that can matter for a request. Exceeding it denies the request. */
  readonly steps: number;
  /** Steps of finding the users whose approval would help. Exceeding it denies the request. */
  readonly pendingSteps: number;
}

/**
 * The limits of a decision. Ten thousand policies of 40 nodes that all apply to one kind of request do not reach them. A step takes 20 to
 * 100 nanoseconds.
 */
export const decisionLimits: DecisionLimits = Object.freeze({ steps: 500_000, pendingSteps: 2_000_000 });

/** What each limit is about, for the reference. */
export const limitDocs: Readonly<Record<keyof PolicyLimits | 'decisionSteps' | 'pendingSteps', string>> = {
  textLength: 'UTF-16 code units of one expression',
  depth: 'Levels of parentheses, lists, calls, negations and postfix steps',
  nodes: 'Parts of one expression',
  listItems: 'Items of one list literal',
  steps: 'Steps of one evaluation: one for each part of a predicate and each element that it runs on',
  decisionSteps:
    'Steps of one decision over all policies that can apply: one for each part of an expression, and those of its evaluation. A decision that exceeds it denies, except to the root quorum',
  pendingSteps:
    'Steps of finding the users whose approval a request still needs, over all policies. A decision that exceeds it denies, except to the root quorum',
  diagnostics: 'Diagnostics of one expression; further ones are omitted',
};
