import type { Decision } from '../decide/decide.ts';
import type { PolicyEvaluation } from '../decide/outcome.ts';
import type { FaultCode } from '../evaluate/fault.ts';
import type { Effect } from '../policy.ts';
import type { Span } from '../syntax/span.ts';
import type { PolicyField } from '../value.ts';

/** One part of an expression and its value. Plain data that JSON can hold. */
export interface ExplainedPart {
  readonly text: string;
  readonly span: Span;
  /** The value in the notation of the language; absent when there is an error. */
  readonly value?: string;
  readonly error?: { readonly code: FaultCode; readonly message: string };
  /** What there is to say about the value, as the end of a sentence that begins with "it". */
  readonly note?: string;
  /** With an error: the part should have been true or false. */
  readonly condition?: true;
  /** For a predicate: the element it ran on. */
  readonly element?: string;
  /** A part before this one decided, so that its value does not matter. */
  readonly unasked?: true;
  readonly parts: readonly ExplainedPart[];
}

/** One policy in an explanation. */
export interface ExplainedPolicy extends PolicyEvaluation {
  readonly effect: Effect;
  readonly expressions: Readonly<Partial<Record<PolicyField, ExplainedPart>>>;
  /** Why the policy does not apply; empty when it does. */
  readonly reasons: readonly string[];
}

/** A decision with everything that led to it. Plain data that JSON can hold. */
export interface Explanation {
  readonly decision: Decision;
  readonly rootQuorum: { readonly met: boolean; readonly approved: number; readonly threshold: number };
  readonly approvers: readonly string[];
  /** Every policy that was consulted. The most relevant ones come with their expressions, up to a limit. */
  readonly policies: readonly ExplainedPolicy[];
  /** What would have changed the outcome: one sentence each, the smallest change first. */
  readonly changes: readonly string[];
}
