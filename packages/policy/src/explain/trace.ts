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

/** The most nodes of one expression that are recorded. Others are evaluated but not shown. */
const MAX_NODES = 1_000;
const MAX_ELEMENTS = 12;

/** Evaluates an expression and records the value of every part. The result equals that of `evaluateExpression`. */
export function traceExpression(
  expression: CompiledExpression,
  values: NamespaceValues,
): { readonly result: boolean | EvaluationError; readonly trace: Trace } {
  const recorder = new Recorder(expression.typed);
  const environment: Environment = { values, variables: [], steps: 0, maxSteps: expression.limits.steps, tracer: recorder };
  const result = runEvaluator(expression, tracingEvaluator(expression), environment);
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
  private kept = 0;
  private current: TracePart['element'] | undefined;
  /** The steps that all unasked operands have used. */
  private spare = 0;
  private inUnasked: 'no' | 'entering' | 'inside' = 'no';

  constructor(typed: Typed) {
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
    this.kept += 1;
    if (this.kept > MAX_NODES || (current !== undefined && current.index >= MAX_ELEMENTS)) return;
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
