import type { CheckContext } from '../check/context.ts';
import type { Typed } from '../check/typed.ts';
import type { Span } from '../syntax/span.ts';
import type { PolicyField } from '../value.ts';

/** An argument of a function: a string literal, so that mistakes are reported when the policy is created. */
export interface TextArgument {
  readonly value: string;
  readonly span: Span;
}

/** One function: its signature, the field that may call it, the node of a call, and its documentation. */
export interface PolicyFunction {
  readonly name: string;
  readonly signature: string;
  readonly doc: string;
  /** An expression that uses it, for the reference. A test compiles it. */
  readonly example: string;
  /** The field of a policy that may call it. */
  readonly field: PolicyField;
  readonly parameters: number;
  /** The node of one call, including its evaluation. Undefined if a diagnostic was reported. */
  readonly check: (args: readonly TextArgument[], span: Span, context: CheckContext) => Typed | undefined;
}
