import { consensusShape } from '../decide/consensus-shape.ts';
import { HYPOTHETICAL_STEPS } from '../decide/pending.ts';
import { withApproval } from '../decide/request-values.ts';
import { evaluateExpression } from '../expression.ts';
import type { CompiledPolicy } from '../policy.ts';
import type { PolicyUser } from '../request.ts';
import type { ComparablePolicy } from './implication.ts';
import type { PolicyWarning } from './warning.ts';

/** The people of an organization, as far as the checks need them. */
export interface LintOrganization {
  readonly users: readonly PolicyUser[];
  readonly rootQuorum: { readonly threshold: number; readonly userIds: readonly string[] };
}

/** Whether a policy takes every right from everybody, or gives one to everybody. */
export function tooWide({ policy, clauses, consensus, time }: ComparablePolicy): readonly PolicyWarning[] {
  if (policy.invalid.length > 0 || clauses.length > 0) return [];
  if (policy.effect === 'EFFECT_ALLOW') {
    const who = consensus === undefined ? 'everybody' : 'whoever satisfies its consensus';
    const message = `it allows ${who} every kind of activity, the export of keys and changes to policies included`;
    return [{ code: 'ALLOWS_EVERYTHING', policyId: policy.id, message, help: 'add a condition' }];
  }
  if (consensus !== undefined || time !== undefined) return [];
  return [
    {
      code: 'LOCKS_OUT',
      policyId: policy.id,
      message: 'it denies everything to everybody; only the root quorum could still act',
    },
  ];
}

/** Whether the present users together could satisfy the consensus of an ALLOW. Said only where more approvals can only help. */
export function unreachableConsensus(policy: CompiledPolicy, { users }: LintOrganization): readonly PolicyWarning[] {
  const { consensus } = policy;
  if (consensus === undefined || policy.effect !== 'EFFECT_ALLOW' || consensusShape(consensus.typed) === undefined) return [];
  const everybody = { users, credentials: users.flatMap((user) => user.credentials ?? []) };
  if (evaluateExpression(consensus, withApproval(new Map(), everybody), HYPOTHETICAL_STEPS) === true) return [];
  const message = 'the users of the organization cannot satisfy its consensus, not even all of them together';
  return [{ code: 'UNREACHABLE_CONSENSUS', policyId: policy.id, field: 'consensus', message }];
}

/** Whether the root quorum can be reached at all. */
export function unreachableQuorum({ users, rootQuorum }: LintOrganization): readonly PolicyWarning[] {
  const known = new Set(users.map(({ id }) => id));
  const members = new Set(rootQuorum.userIds.filter((id) => known.has(id))).size;
  if (rootQuorum.threshold >= 1 && members >= rootQuorum.threshold) return [];
  const message = `the root quorum needs ${rootQuorum.threshold} approvals and has ${members} members`;
  return [{ code: 'ROOT_QUORUM_UNREACHABLE', message }];
}
