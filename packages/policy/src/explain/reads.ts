import type { Typed } from '../check/typed.ts';
import { decidingView } from '../decide/outcome.ts';
import { readRequest } from '../decide/read-request.ts';
import type { Environment, Tracer } from '../evaluate/environment.ts';
import type { NamespaceValues } from '../evaluate/evaluation.ts';
import { EvaluationError } from '../evaluate/evaluation-error.ts';
import { StepBudget } from '../evaluate/step-budget.ts';
import { runEvaluator } from '../expression.ts';
import type { CompiledPolicy } from '../policy.ts';
import type { DecisionRequest } from '../request.ts';
import type { PolicyValue } from '../value.ts';
import { cutText, showValue } from './show-value.ts';
import { tracingEvaluator } from './trace.ts';

/** A path that a policy read, and its value in the syntax of the language, or the code of the error. */
export type PolicyRead = readonly [path: string, value: string];

/** The values that a policy read. */
export interface PolicyReads {
  readonly policyId: string;
  readonly reads: readonly PolicyRead[];
}

/** SECURITY: D273: decisions store these values, so a request with long values must not store more than this. */
const MAX_POLICIES = 8;
const MAX_READS = 24;
/** SECURITY: D350: over all policies of a decision. */
const MAX_CHARACTERS = 2_048;
/** Steps of all evaluations that collect values. */
const MAX_STEPS = 20_000;
/** Follows the last stored value if there are more. */
const MORE: PolicyRead = ['…', 'more values were read'];

/** The values that policies read for a request, in the order in which they were read, up to a limit. */
export function readsOf(policies: readonly CompiledPolicy[], request: DecisionRequest): readonly PolicyReads[] {
  const { views } = readRequest(request);
  const room = { characters: MAX_CHARACTERS };
  const budget = new StepBudget(MAX_STEPS);
  return policies.slice(0, MAX_POLICIES).map((policy) => {
    const collector = new ReadCollector(room);
    collectReads(policy, decidingView(policy, views, budget), collector, budget);
    const reads = [...collector.reads];
    return { policyId: policy.id, reads: collector.isPartial || budget.isExhausted ? [...reads, MORE] : reads };
  });
}

function collectReads(
  { time, condition, consensus }: CompiledPolicy,
  values: NamespaceValues,
  collector: ReadCollector,
  budget: StepBudget,
): void {
  for (const expression of [time, condition, consensus]) {
    if (expression === undefined) continue;
    if (!budget.spend(expression.cost)) return;
    const { steps: maxSteps } = expression.limits;
    const environment: Environment = { values, variables: [], steps: 0, maxSteps, budget, tracer: collector };
    runEvaluator(expression, tracingEvaluator(expression), environment);
  }
}

class ReadCollector implements Tracer {
  readonly reads = new Map<string, string>();
  isPartial = false;
  readonly #room: { characters: number };

  constructor(room: { characters: number }) {
    this.#room = room;
  }

  enter(): void {}

  leave(node: Typed, value: PolicyValue | EvaluationError): void {
    if (node.kind !== 'read' || this.isPartial) return;
    const path = cutText([node.namespace.path, ...node.path].join('.'));
    if (this.reads.has(path)) return;
    const shown = value instanceof EvaluationError ? value.code : cutText(showValue(value, node.type));
    this.#room.characters -= path.length + shown.length;
    if (this.#room.characters < 0 || this.reads.size >= MAX_READS) this.isPartial = true;
    else this.reads.set(path, shown);
  }

  element(): void {}

  /** An operand that was not needed was not read. */
  unasked(): void {}
}
