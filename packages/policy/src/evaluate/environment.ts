import type { Typed } from '../check/typed.ts';
import type { PolicyValue } from '../value.ts';
import type { Evaluation } from './evaluation.ts';
import type { EvaluationError } from './evaluation-error.ts';

/** Observes an evaluation node by node. */
export interface Tracer {
  enter(node: Typed): void;
  leave(node: Typed, value: PolicyValue | EvaluationError): void;
  /** The next nodes belong to this element of the list that a predicate iterates over. */
  element(index: number, value: PolicyValue): void;
  /** An operand whose value does not matter, because an earlier operand decided. The tracer may evaluate it to show its value. */
  unasked(operand: Evaluator, environment: Environment): void;
}

/** The state of one evaluation, with an optional tracer. */
export interface Environment extends Evaluation {
  readonly tracer?: Tracer;
}

/** A compiled node. */
export type Evaluator = (environment: Environment) => PolicyValue | EvaluationError;
