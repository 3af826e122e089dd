import type { Typed } from '../check/typed.ts';
import { compileNode, type Instrument } from '../evaluate/compile.ts';
import type { Environment, Evaluator, Tracer } from '../evaluate/environment.ts';
import type { NamespaceValues } from '../evaluate/evaluation.ts';
import type { EvaluationError } from '../evaluate/evaluation-error.ts';
import { absentNamespace, type CompiledExpression, runEvaluator } from '../expression.ts';
import type { PolicyValue } from '../value.ts';

/** One evaluated node, with its value and its parts. */
export interface Trace {
  readonly node: Typed;
  readonly parts: TracePart[];
  value?: PolicyValue | EvaluationError;
}

/** A part of a trace. `element` is the list element for which a predicate was evaluated. */
export interface TracePart {
  readonly trace: Trace;
  readonly element?: { readonly index: number; readonly value: PolicyValue };
  /** An earlier operand decided, so the value of this one does not matter. */
  readonly unasked?: true;
}

/** The most nodes that an explanation records over all policies. Others are evaluated but not shown. */
const MAX_NODES = 1_000;
/** The steps of all traced evaluations, after which no further expression is traced. */
const MAX_STEPS = 200_000;
/** Steps after which tracing should pause. A traced step takes several times as long as another one. */
const SLICE_STEPS = 4_000;
const MAX_ELEMENTS = 12;

/** The room of one explanation: nodes and steps over all of its expressions. */
export class TraceRoom {
  #nodes = MAX_NODES;
  #steps = 0;
  #sliceEnds = SLICE_STEPS;
  #dropped = false;

  /** Whether no further expression can be traced. */
  get isFull(): boolean {
    return this.#nodes <= 0 || this.#steps >= MAX_STEPS;
  }

  /** Whether nodes were evaluated but not recorded. */
  get isShortened(): boolean {
    return this.#dropped;
  }

  get isSliceOver(): boolean {
    if (this.#steps < this.#sliceEnds) return false;
    this.#sliceEnds = this.#steps + SLICE_STEPS;
    return true;
  }

  /** Takes the room of one node. Returns false if there is none. */
  takeNode(): boolean {
    if (this.#nodes <= 0) this.#dropped = true;
    else this.#nodes -= 1;
    return !this.#dropped;
  }

  drop(): void {
    this.#dropped = true;
  }

  spend(steps: number): void {
    this.#steps += steps;
  }
}

/** Evaluates an expression and records the value of every part. The result equals that of `evaluateExpression`. */
export function traceExpression(
  expression: CompiledExpression,
  values: NamespaceValues,
  room: TraceRoom = new TraceRoom(),
): { readonly result: boolean | EvaluationError; readonly trace: Trace } {
  const recorder = new Recorder(expression.typed, room);
  const environment: Environment = { values, variables: [], steps: 0, maxSteps: expression.limits.steps, tracer: recorder };
  const result = runEvaluator(expression, tracingEvaluator(expression), environment);
  room.spend(expression.cost + environment.steps + recorder.spare);
  return { result: absentNamespace(expression, values) ?? result, trace: recorder.root };
}

/** Evaluators that report to their environment's tracer. Memoized per expression, because every request is explained. */
const tracing = new WeakMap<CompiledExpression, Evaluator>();

export function tracingEvaluator(expression: CompiledExpression): Evaluator {
  const known = tracing.get(expression);
  if (known !== undefined) return known;
  const made = compileNode(expression.typed, expression.asks, traced);
  tracing.set(expression, made);
  return made;
}

const traced: Instrument = (node, inner) => {
  // A literal shows its value in the text, and a record variable is shown as the element. An entry would repeat it.
  if (node.kind === 'constant' || (node.kind === 'variable' && node.type.kind === 'struct')) return inner;
  return (environment) => {
    environment.tracer?.enter(node);
    const value = inner(environment);
    environment.tracer?.leave(node, value);
    return value;
  };
};

class Recorder implements Tracer {
  readonly root: Trace;
  private readonly open: Trace[];
  private current: TracePart['element'] | undefined;
  /** The steps that all unasked operands have used. */
  spare = 0;
  private inUnasked: 'no' | 'entering' | 'inside' = 'no';

  private readonly room: TraceRoom;

  constructor(typed: Typed, room: TraceRoom) {
    this.room = room;
    const holder: Trace = { node: typed, parts: [] };
    this.open = [holder];
    this.root = holder;
  }

  enter(node: Typed): void {
    const parent = this.open.at(-1) as Trace;
    if (node === this.root.node) return;
    const { current } = this;
    this.current = undefined;
    const unasked = this.inUnasked === 'entering';
    if (unasked) this.inUnasked = 'inside';
    const trace: Trace = { node, parts: [] };
    this.open.push(trace);
    if (current !== undefined && current.index >= MAX_ELEMENTS) {
      this.room.drop();
      return;
    }
    if (!this.room.takeNode()) return;
    if (current === undefined && !unasked) parent.parts.push({ trace });
    else
      parent.parts.push({
        trace,
        ...(current !== undefined && { element: current }),
        ...(unasked && { unasked: true as const }),
      });
  }

  leave(node: Typed, value: PolicyValue | EvaluationError): void {
    if (node === this.root.node) {
      this.root.value = value;
      return;
    }
    const trace = this.open.pop();
    if (trace !== undefined) trace.value = value;
  }

  element(index: number, value: PolicyValue): void {
    this.current = { index, value };
  }

  /**
   * Evaluates the operand only to trace it.
   * SECURITY: all such operands share one step limit, separate from that of the actual evaluation.
   */
  unasked(operand: Evaluator, environment: Environment): void {
    if (this.inUnasked !== 'no') {
      operand(environment);
      return;
    }
    const { steps } = environment;
    environment.steps = this.spare;
    this.inUnasked = 'entering';
    operand(environment);
    this.inUnasked = 'no';
    this.spare = environment.steps;
    environment.steps = steps;
  }
}
