import { compileNode } from '../evaluate/compile.ts';
import type { NamespaceValues } from '../evaluate/evaluation.ts';
import type { CompiledExpression } from '../expression.ts';
import { evaluateExpression } from '../expression.ts';
import type { Approval, PolicyUser } from '../request.ts';
import { credential, user } from '../schema/people.ts';
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
 */
export function pendingConsensus(
  expression: CompiledExpression,
  values: NamespaceValues,
  approval: Approval,
  others: readonly PolicyUser[],
): PendingConsensus | undefined {
  const shape = consensusShape(expression.typed);
  if (shape === undefined) return searchApprovals(expression, values, approval, others);
  const everybody = {
    users: [...approval.users, ...others],
    credentials: [...approval.credentials, ...others.flatMap(credentialsOf)],
  };
  const hopeful = withApproval(values, everybody);
  const steps = HYPOTHETICAL_STEPS;
  if (evaluateExpression(expression, hopeful, steps) !== true) return undefined;

  const holds = (node: ConsensusShape['node'], where: NamespaceValues, variables: PolicyValue[] = []) =>
    compileNode(node, expression.asks)({ values: where, variables, steps: 0, maxSteps: steps }) === true;
  const matching = ({ source, predicates }: PeopleShape, people: Approval, where: NamespaceValues) => {
    const elements = source === 'approvers' ? people.users.map(user.toRecord) : people.credentials.map(credential.toRecord);
    return elements.filter((element) => predicates.every(({ slot, body }) => holds(body, where, at(slot, element)))).length;
  };
  const contributes = (part: ConsensusShape): boolean => {
    if (part.kind === 'group') return part.parts.some(contributes);
    return part.kind === 'people' && matching(part, approval, hopeful) > 0;
  };
  const missing = (part: ConsensusShape): readonly MissingApprovals[] => {
    if (part.kind === 'fixed' || holds(part.node, values)) return [];
    if (part.kind === 'group') return part.parts.filter(({ node }) => part.all || holds(node, hopeful)).flatMap(missing);
    const helpful = others.filter((one) => matching(part, { users: [one], credentials: credentialsOf(one) }, hopeful) > 0);
    const count = Math.max(1, Number(part.atLeast) - matching(part, approval, values));
    const { start, end } = part.node.span;
    return [{ count, requirement: expression.text.slice(start, end), userIds: helpful.map(({ id }) => id) }];
  };
  return contributes(shape) ? { missing: missing(shape) } : undefined;
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
