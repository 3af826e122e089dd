import type { Typed } from '../check/typed.ts';
import { readRequest } from '../decide/read-request.ts';
import type { Environment, Tracer } from '../evaluate/environment.ts';
import type { NamespaceValues } from '../evaluate/evaluation.ts';
import { EvaluationError } from '../evaluate/evaluation-error.ts';
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

/** The values that policies read for a request, in the order in which they were read, up to a limit. */
export function readsOf(policies: readonly CompiledPolicy[], request: DecisionRequest): readonly PolicyReads[] {
  const { values } = readRequest(request);
  return policies.slice(0, MAX_POLICIES).map((policy) => ({ policyId: policy.id, reads: readsOfPolicy(policy, values) }));
}

function readsOfPolicy({ time, condition, consensus }: CompiledPolicy, values: NamespaceValues): readonly PolicyRead[] {
  const collector = new ReadCollector();
  for (const expression of [time, condition, consensus]) {
    if (expression === undefined) continue;
    const environment: Environment = { values, variables: [], steps: 0, maxSteps: expression.limits.steps, tracer: collector };
    runEvaluator(expression, tracingEvaluator(expression), environment);
  }
  return [...collector.reads];
}

class ReadCollector implements Tracer {
  readonly reads = new Map<string, string>();

  enter(): void {}

  leave(node: Typed, value: PolicyValue | EvaluationError): void {
    if (node.kind !== 'read' || this.reads.size >= MAX_READS) return;
    const path = cutText([node.namespace.path, ...node.path].join('.'));
    if (this.reads.has(path)) return;
    this.reads.set(path, value instanceof EvaluationError ? value.code : cutText(showValue(value, node.type)));
  }

  element(): void {}

  /** An operand that was not needed was not read. */
  unasked(): void {}
}
