import type { CheckContext } from '../check/context.ts';
import type { Typed } from '../check/typed.ts';
import type { Span } from '../syntax/span.ts';
import type { PolicyField } from '../value.ts';
import type { LanguageVersion } from '../version.ts';

/** An argument of a function: a string literal, so that mistakes are reported when the policy is created. */
export interface TextArgument {
  readonly value: string;
  readonly span: Span;
}

interface FunctionDescription {
  readonly name: string;
  readonly signature: string;
  readonly doc: string;
  /** An expression that uses it, for the reference. A test compiles it in the first of `fields`. */
  readonly example: string;
  /** The fields of a policy that may call it. */
  readonly fields: readonly [PolicyField, ...PolicyField[]];
  /** The first version of the language that has it. */
  readonly since: LanguageVersion;
}

/** A function of string literals: its signature, the fields that may call it, the node of a call, and its documentation. */
export interface TextFunction extends FunctionDescription {
  readonly takes: 'texts';
  readonly parameters: number;
  /** The node of one call, including its evaluation. Undefined if a diagnostic was reported. */
  readonly check: (args: readonly TextArgument[], span: Span, context: CheckContext) => Typed | undefined;
}

/** A function of one path into the request. */
export interface PathFunction extends FunctionDescription {
  readonly takes: 'path';
  readonly check: (path: Typed, span: Span, context: CheckContext) => Typed | undefined;
}

export type PolicyFunction = TextFunction | PathFunction;
