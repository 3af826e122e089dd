import type { Decision } from '../decide/decide.ts';
import type { PolicyEvaluation } from '../decide/outcome.ts';
import type { EvaluationErrorCode } from '../evaluate/evaluation-error.ts';
import type { Effect } from '../policy.ts';
import type { Span } from '../syntax/span.ts';
import type { PolicyField } from '../value.ts';

/** One part of an expression and its value. Plain JSON data. */
export interface ExplainedPart {
  readonly text: string;
  readonly span: Span;
  /** The value in the syntax of the language. Absent if there is an error. */
  readonly value?: string;
  readonly error?: { readonly code: EvaluationErrorCode; readonly message: string };
  /** A note about the value, as the end of a sentence that begins with "it". */
  readonly note?: string;
  /** With an error: the part must be a bool. */
  readonly condition?: true;
  /** For a predicate: the element it was evaluated for. */
  readonly element?: string;
  /** An earlier part decided, so the value of this one does not matter. */
  readonly unasked?: true;
  readonly parts: readonly ExplainedPart[];
}

/** One policy in an explanation. */
export interface ExplainedPolicy extends PolicyEvaluation {
  readonly effect: Effect;
  readonly expressions: Readonly<Partial<Record<PolicyField, ExplainedPart>>>;
  /** Why the policy does not apply. Empty if it does. */
  readonly reasons: readonly string[];
}

/** A decision with everything that led to it. Plain JSON data. */
export interface Explanation {
  readonly decision: Decision;
  readonly rootQuorum: { readonly met: boolean; readonly approved: number; readonly threshold: number };
  readonly approvers: readonly string[];
  /** Every policy that was evaluated. The most relevant ones include their expressions, up to a limit. */
  readonly policies: readonly ExplainedPolicy[];
  /** The changes that would have led to another outcome: one sentence each, smallest change first. */
  readonly changes: readonly string[];
  /** Parts, policies or users are missing, because there are more than an explanation may have. */
  readonly shortened?: true;
}
