import type { Typed } from '../check/typed.ts';
import type { PolicyValue } from '../value.ts';
import type { Evaluation } from './evaluation.ts';
import type { Fault } from './fault.ts';

/** Watches an evaluation node by node. */
export interface Tracer {
  enter(node: Typed): void;
  leave(node: Typed, value: PolicyValue | Fault): void;
  /** The next nodes belong to this element of the list that a predicate runs over. */
  element(index: number, value: PolicyValue): void;
  /** An operand whose value does not matter, because an operand before it decided. The tracer may run it to show its value. */
  unasked(operand: Evaluator, environment: Environment): void;
}

/** The state of one evaluation, and who watches it. */
export interface Environment extends Evaluation {
  readonly tracer?: Tracer;
}

/** A compiled node. */
export type Evaluator = (environment: Environment) => PolicyValue | Fault;
