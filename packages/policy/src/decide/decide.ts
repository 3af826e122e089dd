import type { NamespaceValues } from '../evaluate/evaluation.ts';
import type { CompiledPolicy } from '../policy.ts';
import type { Approval, DecisionRequest, PolicyUser } from '../request.ts';
import { evaluatePolicy, type PolicyEvaluation } from './outcome.ts';
import { credentialsOf, pendingConsensus } from './pending.ts';
import type { MissingApprovals } from './pending-consensus.ts';
import type { PolicySet } from './policy-set.ts';
import { type RootQuorumState, readRequest, withApproval } from './read-request.ts';

/** What a pending request needs: more members of the root quorum, or more approvals for one policy. */
export type Waiting =
  | { readonly by: 'ROOT_QUORUM'; readonly missing: readonly MissingApprovals[] }
  | { readonly by: 'POLICY'; readonly policyId: string; readonly missing: readonly MissingApprovals[] };

interface DecisionBase {
  /** The policies that were evaluated. The index skips those that cannot match. `explain` evaluates all. */
  readonly evaluations: readonly PolicyEvaluation[];
}

/** The decision on a request. `policyIds` are the policies that determined it. */
export type Decision =
  | (DecisionBase & {
      readonly outcome: 'ALLOW';
      readonly by: 'ROOT_QUORUM' | 'POLICY' | 'SELF_SERVICE';
      readonly policyIds: readonly string[];
    })
  | (DecisionBase & {
      readonly outcome: 'DENY';
      readonly by: 'POLICY' | 'IMPLICIT' | 'ROOT_QUORUM_ONLY';
      readonly policyIds: readonly string[];
    })
  | (DecisionBase & {
      readonly outcome: 'NEEDS_CONSENSUS';
      /** Users whose approval would help. Other approvals change nothing. */
      readonly mayApprove: readonly string[];
      readonly waiting: readonly Waiting[];
      /** Policies that deny the request unless the root quorum approves it. */
      readonly policyIds: readonly string[];
    });

/**
 * Decides a request. Pure: the same policies and the same request lead to the same decision.
 * The order is: root quorum, DENY, ALLOW, self-service, pending approvals, implicit DENY.
 * SECURITY: the order of the policies does not matter, and only a full root quorum overrides a DENY. A root user's request stays pending
 * for that quorum even if a policy denies it. Otherwise one DENY could lock out every quorum above one.
 */
export function decide(set: PolicySet, request: DecisionRequest): Decision {
  const read = readRequest(request);
  const { approval, root } = read;
  if (root.met) return { outcome: 'ALLOW', by: 'ROOT_QUORUM', policyIds: [], evaluations: [] };
  if (request.rootQuorumOnly === true) {
    if (root.missing === undefined) return { outcome: 'DENY', by: 'ROOT_QUORUM_ONLY', policyIds: [], evaluations: [] };
    return { ...needsConsensus([{ by: 'ROOT_QUORUM', missing: [root.missing] }]), policyIds: [], evaluations: [] };
  }
  const { values } = read;
  const candidates = set.candidates(values);
  return conclude(
    set,
    request,
    approval,
    root,
    values,
    candidates,
    candidates.map((policy) => evaluatePolicy(policy, values)),
  );
}

/** The policies that can matter for a request. The others cannot change the decision, regardless of the values of controls. */
export function candidatePolicies(set: PolicySet, request: DecisionRequest): readonly CompiledPolicy[] {
  return set.candidates(readRequest(request).values);
}

/** The decision that follows from the evaluations. */
export function conclude(
  set: PolicySet,
  request: DecisionRequest,
  approval: Approval,
  root: RootQuorumState,
  values: NamespaceValues,
  policies: readonly CompiledPolicy[],
  evaluations: readonly PolicyEvaluation[],
): Decision {
  const rootWaiting: readonly Waiting[] = root.missing === undefined ? [] : [{ by: 'ROOT_QUORUM', missing: [root.missing] }];
  const denials = evaluations.filter(({ denies }) => denies).map(({ policyId }) => policyId);
  if (denials.length > 0) {
    if (rootWaiting.length > 0) return { ...needsConsensus(rootWaiting), policyIds: denials, evaluations };
    return { outcome: 'DENY', by: 'POLICY', policyIds: denials, evaluations };
  }
  const grants = evaluations.filter(({ outcome }) => outcome === 'OUTCOME_ALLOW').map(({ policyId }) => policyId);
  if (grants.length > 0) return { outcome: 'ALLOW', by: 'POLICY', policyIds: grants, evaluations };
  if (request.selfService === true && approval.users.length > 0)
    return { outcome: 'ALLOW', by: 'SELF_SERVICE', policyIds: [], evaluations };
  const unmet = policies.filter((_, index) => evaluations[index]?.outcome === 'OUTCOME_REQUIRES_CONSENSUS');
  const others = unmet.length === 0 ? [] : welcomeUsers(set, request, approval, values);
  const waiting = unmet.flatMap(({ id, consensus }): readonly Waiting[] => {
    const pending = consensus === undefined ? undefined : pendingConsensus(consensus, values, approval, others);
    return pending === undefined ? [] : [{ by: 'POLICY', policyId: id, missing: pending.missing }];
  });
  const all = [...rootWaiting, ...waiting];
  if (all.length > 0) return { ...needsConsensus(all), policyIds: [], evaluations };
  return { outcome: 'DENY', by: 'IMPLICIT', policyIds: [], evaluations };
}

function needsConsensus(waiting: readonly Waiting[]) {
  const mayApprove = [...new Set(waiting.flatMap(({ missing }) => missing.flatMap(({ userIds }) => userIds)))].sort();
  return { outcome: 'NEEDS_CONSENSUS', mayApprove, waiting } as const;
}

/** The users who have not approved yet and whose approval would not cause a DENY. */
function welcomeUsers(
  set: PolicySet,
  request: DecisionRequest,
  approval: Approval,
  values: NamespaceValues,
): readonly PolicyUser[] {
  const present = new Set(approval.users.map(({ id }) => id));
  const others = [...request.organizationUsers.values()].filter(({ id }) => !present.has(id));
  if (!set.denyDependsOnPeople) return others;
  const denied = (user: PolicyUser, credentials: Approval['credentials']) => {
    const people = { users: [...approval.users, user], credentials: [...approval.credentials, ...credentials] };
    const joined = withApproval(values, people);
    return set.candidates(joined).some((policy) => policy.effect === 'EFFECT_DENY' && evaluatePolicy(policy, joined).denies);
  };
  return others.filter((user) => {
    const ways = credentialsOf(user).map((credential) => [credential]);
    return ways.length === 0 ? !denied(user, []) : ways.some((way) => !denied(user, way));
  });
}
