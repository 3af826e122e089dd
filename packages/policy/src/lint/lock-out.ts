import { conjunctsOf } from '../check/typed.ts';
import { consensusShape } from '../decide/consensus-shape.ts';
import { HYPOTHETICAL_STEPS } from '../decide/pending.ts';
import { withApproval } from '../decide/read-request.ts';
import { evaluateExpression } from '../expression.ts';
import type { CompiledPolicy } from '../policy.ts';
import type { PolicyUser } from '../request.ts';
import { controlOf } from '../schema/controls.ts';
import { requester } from '../schema/engine.ts';
import { user } from '../schema/people.ts';
import type { ComparablePolicy } from './implication.ts';
import type { PolicyWarning } from './warning.ts';

/** The people of an organization that the checks need. */
export interface LintOrganization {
  readonly users: Pick<ReadonlyMap<string, PolicyUser>, 'size' | 'has' | 'values'>;
  readonly rootQuorum: { readonly threshold: number; readonly userIds: readonly string[] };
}

/** Warns if a policy denies everything to everybody, or allows everything. */
export function tooWide({ policy, clauses, consensus, time }: ComparablePolicy): readonly PolicyWarning[] {
  const isLimitedOnly = policy.effect === 'EFFECT_ALLOW' && asksOnlyForControls(policy);
  if (policy.invalid.length > 0 || (clauses.length > 0 && !isLimitedOnly)) return [];
  if (policy.effect === 'EFFECT_ALLOW') {
    const who = consensus === undefined ? 'everybody' : 'everybody who satisfies its consensus';
    const within = isLimitedOnly ? ' within the limit' : '';
    const message = `it allows ${who} every activity${within}, including key exports and policy changes`;
    return [
      {
        code: 'ALLOWS_EVERYTHING',
        policyId: policy.id,
        message,
        help: 'add a condition',
        example: { 'activity.kind': 'EXPORT_WALLET' },
      },
    ];
  }
  if (consensus !== undefined || time !== undefined) return [];
  return [
    {
      code: 'LOCKS_OUT',
      policyId: policy.id,
      message: 'it denies everything to everybody; only the root quorum can still act',
    },
  ];
}

/** Whether a condition consists of spending limits that every activity has. A limit says how often, not what. */
function asksOnlyForControls({ condition }: CompiledPolicy): boolean {
  if (condition === undefined) return false;
  return conjunctsOf(condition.typed).every((clause) => {
    const read = clause.kind === 'not' ? clause.operand : clause;
    return (
      read.kind === 'read' &&
      controlOf(read.namespace.path) !== undefined &&
      read.namespace.alwaysIn?.has('CREATE_POLICY') === true
    );
  });
}

/** With more users, skip the check of what all of them together could approve: it evaluates each user. */
const MAX_HYPOTHETICAL_USERS = 1_000;
/** The same for a consensus about the requester, who can be each of them. */
const MAX_HYPOTHETICAL_REQUESTERS = 50;

/** Warns if all users together cannot satisfy the consensus of an ALLOW. Checks only a monotone consensus. */
export function unreachableConsensus(policy: CompiledPolicy, organization: LintOrganization): readonly PolicyWarning[] {
  const { consensus } = policy;
  if (organization.users.size > MAX_HYPOTHETICAL_USERS) return [];
  if (consensus === undefined || policy.effect !== 'EFFECT_ALLOW' || consensusShape(consensus.typed) === undefined) return [];
  const users = [...organization.users.values()];
  const everybody = { users, credentials: users.flatMap((each) => each.credentials ?? []) };
  const holds = (by: PolicyUser | undefined) => {
    const values = new Map(by === undefined ? [] : [[requester.path, user.toRecord(by)]]);
    return evaluateExpression(consensus, withApproval(values, everybody), HYPOTHETICAL_STEPS) === true;
  };
  const readsRequester = consensus.uses.some(({ namespace }) => namespace === requester);
  if (readsRequester && users.length > MAX_HYPOTHETICAL_REQUESTERS) return [];
  if (readsRequester ? users.some(holds) : holds(undefined)) return [];
  const message = 'its consensus cannot be met, not even by all users of the organization together';
  return [{ code: 'UNREACHABLE_CONSENSUS', policyId: policy.id, field: 'consensus', message }];
}

/** Warns if the root quorum has too few members to act. */
export function unreachableQuorum({ users, rootQuorum }: LintOrganization): readonly PolicyWarning[] {
  const members = new Set(rootQuorum.userIds.filter((id) => users.has(id))).size;
  if (rootQuorum.threshold >= 1 && members >= rootQuorum.threshold) return [];
  const message = `the root quorum needs ${rootQuorum.threshold} approvals and has ${members} members`;
  return [{ code: 'ROOT_QUORUM_UNREACHABLE', message }];
}

/** Warns that a DENY does not bind a root user who alone meets the root quorum. */
export function rootNotBound(
  policies: readonly CompiledPolicy[],
  { users, rootQuorum }: LintOrganization,
): readonly PolicyWarning[] {
  const denies = policies.filter(({ effect }) => effect === 'EFFECT_DENY').map(({ id }) => id);
  const roots = rootQuorum.userIds.filter((id) => users.has(id));
  const [root] = roots;
  if (denies.length === 0 || rootQuorum.threshold !== 1 || root === undefined) return [];
  const who = roots.length === 1 ? 'the only root user is' : `each of the ${roots.length} root users alone is`;
  return [
    {
      code: 'ROOT_NOT_BOUND',
      message: `${who} the root quorum, and no DENY binds the root quorum`,
      help: 'raise the threshold with `update_root_quorum`, and sign with users who are not root users',
      related: denies,
      example: { 'approvers[0].id': root },
    },
  ];
}
