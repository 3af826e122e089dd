import { compileNode } from '../evaluate/compile.ts';
import type { NamespaceValues } from '../evaluate/evaluation.ts';
import type { CompiledExpression } from '../expression.ts';
import { evaluateExpression } from '../expression.ts';
import type { Approval, PolicyUser } from '../request.ts';
import { credential, user } from '../schema/people.ts';
import type { PolicyValue } from '../value.ts';
import { type ConsensusShape, consensusShape, type PeopleShape } from './consensus-shape.ts';
import { withApproval } from './request-values.ts';
import { searchApprovals } from './search-approvals.ts';

/** Approvals that are missing for one part of a consensus. */
export interface MissingApprovals {
  readonly count: number;
  /** The part of the consensus that asks for them, as it is written. */
  readonly requirement: string;
  /** Users who could give one of them. */
  readonly userIds: readonly string[];
}

/** A consensus that is not met and could be. */
export interface PendingConsensus {
  readonly missing: readonly MissingApprovals[];
}

/** The steps of one evaluation that asks what all users together would give, which takes more than asking about a few approvers. */
export const HYPOTHETICAL_STEPS = 1_000_000;

/**
 * Whether a consensus that is false now is worth waiting for: the others could make it true, and at least one of the present
 * approvers contributes to it. Undefined when it is not.
 * A monotone consensus is decided exactly, by asking what all of them together would give; any other by a bounded search.
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
    compileNode(node)({ values: where, variables, steps: 0, maxSteps: steps }) === true;
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

/** The credentials a user could approve with. */
export function credentialsOf({ credentials = [] }: PolicyUser): Approval['credentials'] {
  return credentials;
}

function at(slot: number, element: PolicyValue): PolicyValue[] {
  const variables: PolicyValue[] = [];
  variables[slot] = element;
  return variables;
}
