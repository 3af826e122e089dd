import type { CheckContext } from '../check/context.ts';
import type { ApplyNode, EachNode, Quantifier, Typed } from '../check/typed.ts';
import type { Evaluation } from '../evaluate/evaluation.ts';
import type { EvaluationError } from '../evaluate/evaluation-error.ts';
import type { Expression } from '../syntax/ast.ts';
import type { Span } from '../syntax/span.ts';
import { type Type, t } from '../types.ts';
import type { PolicyValue } from '../value.ts';

/**
 * One list method: its signature, the check of a call, its computation, and its documentation.
 * INVARIANT: only this entry knows the method by name. Analyses read `quantifier` and `measures` from the node, and treat a node without
 * them as unknown.
 */
export interface ListMethod {
  readonly name: string;
  /** The call as users write it, for help texts and the reference. */
  readonly signature: string;
  /** One sentence for the reference and the editor. */
  readonly doc: string;
  /** An expression that uses it, for the reference. A test compiles it. */
  readonly example: string;
  /** Its names in other languages. For these, the checker suggests `signature`. */
  readonly knownElsewhereAs: readonly string[];
  /** True if the method may be written without parentheses. */
  readonly bare?: true;
  /** The node of one call. Undefined if a diagnostic was reported, or `WRONG_ARGUMENTS` to report the signature. */
  readonly check: (call: ListCall) => Typed | 'WRONG_ARGUMENTS' | undefined;
}

/** One call of a list method, from the checker. */
export interface ListCall {
  readonly list: Typed;
  /** The type of the list's elements. */
  readonly element: Type;
  readonly args: readonly Expression[];
  readonly span: Span;
  readonly context: CheckContext;
  /** Checks an argument in the scope of the call. */
  readonly checkArgument: (argument: Expression) => Typed;
  /** Checks a predicate in which `variable` is one element. */
  readonly checkPredicate: (variable: string, body: Expression) => { readonly slot: number; readonly body: Typed };
  /** The same for a body of any type. */
  readonly checkEach: ListCall['checkPredicate'];
}

type Description = Omit<ListMethod, 'check'>;

/** A method that evaluates a predicate for each element. */
export function predicateMethod(
  description: Description & {
    readonly quantifier: Quantifier;
    /** The type of the result, from the type of the list. */
    readonly returns: (list: Type) => Type;
    /** The result, from the elements that satisfy the predicate and from all of them. */
    readonly conclude: EachNode['conclude'];
  },
): ListMethod {
  const { quantifier, returns, conclude, ...rest } = description;
  return Object.freeze({
    ...rest,
    check: ({ list, args, span, checkPredicate }: ListCall) => {
      const [variable, body] = args;
      if (variable?.kind !== 'name' || body === undefined || args.length !== 2) return 'WRONG_ARGUMENTS';
      const predicate = checkPredicate(variable.name, body);
      return {
        kind: 'each',
        quantifier,
        conclude,
        list,
        variable: variable.name,
        ...predicate,
        type: returns(list.type),
        span,
      } satisfies Typed;
    },
  });
}

/** A method without arguments. */
export function plainMethod(
  description: Description & {
    readonly returns: Type;
    readonly measures?: ApplyNode['measures'];
    readonly evaluate: (list: PolicyValue, span: Span, evaluation: Evaluation) => PolicyValue | EvaluationError;
  },
): ListMethod {
  const { returns, measures, evaluate, ...rest } = description;
  return Object.freeze({
    ...rest,
    check: ({ list, args, span }: ListCall) => {
      if (args.length > 0) return 'WRONG_ARGUMENTS';
      const apply: ApplyNode['apply'] = ([value], evaluation) => evaluate(value as PolicyValue, span, evaluation);
      const node: ApplyNode = { kind: 'apply', operands: [list], reads: [], apply, type: returns, span };
      return measures === undefined ? node : { ...node, measures };
    },
  });
}

/** The bool type, for `returns`. */
export const toBool = (): Type => t.bool;
