import type { Typed } from '../check/typed.ts';
import type { Span } from '../syntax/span.ts';
import type { PolicyValue } from '../value.ts';
import { Fault } from './fault.ts';

/** The values of the namespaces that a request has, by their dotted paths. */
export type NamespaceValues = ReadonlyMap<string, PolicyValue>;

/** Watches an evaluation node by node. */
export interface Tracer {
  enter(node: Typed): void;
  leave(node: Typed, value: PolicyValue | Fault): void;
  /** The next nodes belong to this element of the list that a predicate runs over. */
  element(index: number, value: PolicyValue): void;
}

/** The state of one evaluation. */
export interface Environment {
  readonly values: NamespaceValues;
  /** The variables of the enclosing predicates, by slot. */
  readonly variables: PolicyValue[];
  steps: number;
  readonly maxSteps: number;
  readonly tracer?: Tracer;
}

/** A compiled node. */
export type Evaluator = (environment: Environment) => PolicyValue | Fault;

/**
 * Pays for work, and gives the fault when there is not enough left.
 * SECURITY: every loop over an input pays before it runs, so that neither a policy nor a request can make a decision slow.
 */
export function spend(environment: Environment, steps: number, span: Span): Fault | undefined {
  environment.steps += steps;
  if (environment.steps <= environment.maxSteps) return undefined;
  return new Fault('LIMIT_EXCEEDED', span, `the evaluation takes more than ${environment.maxSteps} steps`);
}
