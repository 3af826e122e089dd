import { conjunctsOf, someNode, type Typed } from '../check/typed.ts';
import { compileNode } from '../evaluate/compile.ts';
import type { NamespaceValues } from '../evaluate/evaluation.ts';
import type { CompiledPolicy } from '../policy.ts';
import type { PolicyValue } from '../value.ts';

/** Values by the paths of their namespaces. */
export type KnownValues = ReadonlyMap<string, PolicyValue>;

/**
 * Whether the condition of a policy could be true for a request that has these values and any others.
 * INVARIANT: if this is false, the condition is true for no such request. It reads only the parts of an `&&` that need no other value.
 */
export function couldConcern({ condition }: CompiledPolicy, known: KnownValues): boolean {
  if (condition === undefined) return true;
  return conjunctsOf(condition.typed).every((part) => !isKnown(part, known) || resultOf(part, known, condition) !== false);
}

function resultOf(part: Typed, values: NamespaceValues, { asks, limits }: NonNullable<CompiledPolicy['condition']>) {
  return compileNode(part, asks)({ values, variables: [], steps: 0, maxSteps: limits.steps });
}

/** Whether an expression reads nothing but these values. */
function isKnown(part: Typed, known: KnownValues): boolean {
  return !someNode(part, (node) => {
    if (node.kind === 'read') return !known.has(node.namespace.path);
    return node.kind === 'apply' && node.reads.some(({ path }) => !known.has(path));
  });
}
