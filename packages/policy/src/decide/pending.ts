import type { Steps } from '@countersign/collections';
import { conjunctsOf, someNode, stepsOf, type Typed } from '../check/typed.ts';
import { compileNode } from '../evaluate/compile.ts';
import type { Evaluator } from '../evaluate/environment.ts';
import type { NamespaceValues } from '../evaluate/evaluation.ts';
import type { StepBudget } from '../evaluate/step-budget.ts';
import type { CompiledExpression } from '../expression.ts';
import { evaluateExpression } from '../expression.ts';
import type { Approval, PolicyUser } from '../request.ts';
import { requester } from '../schema/engine.ts';
import { credential, user } from '../schema/people.ts';
import { t } from '../types.ts';
import type { PolicyValue } from '../value.ts';
import { type ConsensusShape, consensusShape, type PeopleShape } from './consensus-shape.ts';
import type { MissingApprovals, PendingConsensus } from './pending-consensus.ts';
import { withApproval } from './read-request.ts';
import { searchApprovals } from './search-approvals.ts';

/** The step limit of an evaluation over all users of an organization, who can be far more than the approvers of a request. */
export const HYPOTHETICAL_STEPS = 1_000_000;

/**
 * The missing approvals of an unmet consensus. Undefined if the other users cannot make it true, or if none of the present approvers
 * contributes to it.
 * For a monotone consensus the result is exact: it is evaluated as if all users approved. For any other consensus, a bounded search finds
 * the result.
 * SECURITY: spends steps for every user that it considers. After the budget is exhausted, the result is meaningless.
 */
export function* pendingConsensus(
  expression: CompiledExpression,
  values: NamespaceValues,
  approval: Approval,
  others: readonly PolicyUser[],
  budget: StepBudget,
): Steps<PendingConsensus | undefined> {
  const shape = consensusShape(expression.typed);
  if (shape === undefined) return yield* searchApprovals(expression, values, approval, others, budget);
  const everybody = {
    users: [...approval.users, ...others],
    credentials: [...approval.credentials, ...others.flatMap(credentialsOf)],
  };
  if (!budget.spend(everybody.users.length + everybody.credentials.length)) return undefined;
  const hopeful = withApproval(values, everybody);
  if (evaluateExpression(expression, hopeful, HYPOTHETICAL_STEPS, budget) !== true) return undefined;

  const holds = nodeTest(expression.asks, budget);
  const matching = ({ source, predicates }: PeopleShape, people: Approval, where: NamespaceValues) => {
    const elements = source === 'approvers' ? people.users.map(user.toRecord) : people.credentials.map(credential.toRecord);
    return elements.filter((element) => predicates.every(({ slot, body }) => holds(body, where, at(slot, element)))).length;
  };
  const contributes = (part: ConsensusShape): boolean => {
    if (part.kind === 'group') return part.parts.some(contributes);
    return part.kind === 'people' && matching(withoutRequester(part), approval, hopeful) > 0;
  };
  function* missing(part: ConsensusShape): Steps<readonly MissingApprovals[]> {
    if (part.kind === 'fixed' || holds(part.node, values)) return [];
    if (part.kind === 'group') {
      const found: MissingApprovals[] = [];
      for (const each of part.parts) if (part.all || holds(each.node, hopeful)) found.push(...(yield* missing(each)));
      return found;
    }
    const helpful: string[] = [];
    for (const one of others) {
      if (matching(part, { users: [one], credentials: credentialsOf(one) }, hopeful) > 0) helpful.push(one.id);
      if (budget.isExhausted) return [];
      if (budget.isSliceOver) yield undefined;
    }
    const count = Math.max(1, Number(part.atLeast) - matching(part, approval, values));
    const { start, end } = part.node.span;
    return [{ count, requirement: expression.text.slice(start, end), userIds: helpful }];
  }
  return contributes(shape) ? { missing: yield* missing(shape) } : undefined;
}

/**
 * The same number of people without clauses about the requester. "A treasurer other than the requester" cannot count the requester, but a
 * treasurer who requests it still contributes to it.
 */
function withoutRequester(part: PeopleShape): PeopleShape {
  const isAboutRequester = (clause: Typed) => someNode(clause, (node) => node.kind === 'read' && node.namespace === requester);
  const predicates = part.predicates.map(({ slot, body }) => {
    const operands = conjunctsOf(body).filter((clause) => !isAboutRequester(clause));
    return { slot, body: { kind: 'and', operands, type: t.bool, span: body.span } satisfies Typed };
  });
  return { ...part, predicates };
}

type NodeTest = (node: Typed, values: NamespaceValues, variables?: PolicyValue[]) => boolean;

/** Returns a test of whether a part of an expression is true. Compiles each part once. */
function nodeTest(asks: CompiledExpression['asks'], budget: StepBudget): NodeTest {
  const compiled = new Map<Typed, { readonly evaluator: Evaluator; readonly cost: number }>();
  return (node, values, variables = []) => {
    let known = compiled.get(node);
    if (known === undefined) {
      known = { evaluator: compileNode(node, asks), cost: stepsOf(node) };
      compiled.set(node, known);
    }
    if (!budget.spend(known.cost)) return false;
    return known.evaluator({ values, variables, steps: 0, maxSteps: HYPOTHETICAL_STEPS, budget }) === true;
  };
}

/** The credentials with which a user could approve. */
export function credentialsOf({ credentials = [] }: PolicyUser): Approval['credentials'] {
  return credentials;
}

function at(slot: number, element: PolicyValue): PolicyValue[] {
  const variables: PolicyValue[] = [];
  variables[slot] = element;
  return variables;
}
