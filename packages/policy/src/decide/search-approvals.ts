import type { Steps } from '@countersign/collections';
import type { NamespaceValues } from '../evaluate/evaluation.ts';
import type { StepBudget } from '../evaluate/step-budget.ts';
import { type CompiledExpression, evaluateExpression } from '../expression.ts';
import type { Approval, PolicyUser } from '../request.ts';
import type { PendingConsensus } from './pending-consensus.ts';
import { withApproval } from './read-request.ts';

/** The most sets of additional approvers that the search tries. */
const MAX_TRIALS = 300;

/**
 * Searches for additional approvers who would make a consensus true, if an approval may also make it false. It tries single users, then
 * pairs, then all others together, up to a fixed number of evaluations.
 * SECURITY: if the search misses a set, the request is denied instead of pending. The search never grants anything.
 */
export function* searchApprovals(
  expression: CompiledExpression,
  values: NamespaceValues,
  approval: Approval,
  others: readonly PolicyUser[],
  budget: StepBudget,
): Steps<PendingConsensus | undefined> {
  const holds = (people: Approval) =>
    budget.spend(people.users.length + people.credentials.length) &&
    evaluateExpression(expression, withApproval(values, people), undefined, budget) === true;
  const helpful = new Set<string>();
  let count = Number.POSITIVE_INFINITY;
  for (const added of trials(others)) {
    if (budget.isExhausted) return undefined;
    if (budget.isSliceOver) yield undefined;
    const people = join(approval, added);
    if (!holds(people)) continue;
    const contributes = approval.users.some(({ id }) => !holds(without(people, id)));
    if (!contributes) continue;
    for (const { id } of added) helpful.add(id);
    count = Math.min(count, added.length);
  }
  return helpful.size === 0 ? undefined : { missing: [{ count, requirement: expression.text, userIds: [...helpful] }] };
}

function* trials(others: readonly PolicyUser[]): Generator<readonly PolicyUser[]> {
  let budget = MAX_TRIALS;
  for (const user of others) {
    if (budget-- <= 0) return;
    yield [user];
  }
  for (const [index, first] of others.entries()) {
    for (const second of others.slice(index + 1)) {
      if (budget-- <= 0) return;
      yield [first, second];
    }
  }
  if (others.length > 2) yield others;
}

function join(approval: Approval, added: readonly PolicyUser[]): Approval {
  return {
    users: [...approval.users, ...added],
    credentials: [...approval.credentials, ...added.flatMap((user) => user.credentials ?? [])],
  };
}

function without(approval: Approval, userId: string): Approval {
  return {
    users: approval.users.filter(({ id }) => id !== userId),
    credentials: approval.credentials.filter((credential) => credential.userId !== userId),
  };
}
