import { memoizeByRef } from '@countersign/collections';
import { activityKind } from '@countersign/contract';
import type { Decision, GrowingPolicySet, PolicyUser } from '@countersign/policy';
import { selfServiceResources } from './authority.ts';
import { policySetOf } from './compiled-policies.ts';
import { decideByFreeze } from './freezes.ts';
import type { Approvable } from './judgement.ts';
import { peopleOf } from './people.ts';
import { rulesOf } from './rules.ts';
import type { VoteRecord } from './votes.ts';

/** An activity before its parameters are read. */
type UnreadActivity = Pick<Approvable, 'organization' | 'definition' | 'type' | 'rules'> & {
  /** The submitter's vote first. */
  readonly votes: readonly Pick<VoteRecord, 'userId' | 'publicKey'>[];
};

/** Denies an activity of a frozen user or of a frozen organization. Returns undefined if a freeze of a key could still stop it. */
export function denyFrozen({ organization, votes, definition }: UnreadActivity): Decision | undefined {
  return decideByFreeze({ organization, target: organization, votes, definition, subject: {}, params: undefined });
}

/**
 * Denies an activity that neither the root quorum, a policy, self-service nor a one-time key can allow to these users. Returns undefined
 * if one of them could. Reads only the type of the activity and its voters, so it is cheap for requests of any size.
 * INVARIANT: if this denies, the full decision denies too, for any parameters.
 */
export function denyEarly(activity: UnreadActivity): Decision | undefined {
  const frozen = denyFrozen(activity);
  if (frozen !== undefined) return frozen;
  const { organization, votes, definition } = activity;
  const isRoot = votes.some(({ userId }) => organization.profile.rootQuorum.userIds.includes(userId));
  if (isRoot || isOneTimeKey(activity)) return undefined;
  if (definition.rootQuorumOnly) return { outcome: 'DENY', by: 'ROOT_QUORUM_ONLY', policyIds: [], evaluations: [] };
  if (selfServiceResources.includes(definition.policy.resource)) return undefined;
  if (votes.some(({ userId }) => couldBeGranted(activity, userId))) return undefined;
  return { outcome: 'DENY', by: 'IMPLICIT', policyIds: [], evaluations: [] };
}

function isOneTimeKey({ organization: { apiKeys, apiKeyByPublicKey }, votes }: UnreadActivity): boolean {
  const keyId = apiKeyByPublicKey.get(votes[0]?.publicKey ?? '');
  return keyId !== undefined && apiKeys.get(keyId)?.restrictedTo !== undefined;
}

/** Results of one policy set, by activity type and user. A result holds until the user or a credential of theirs changes. */
const cacheOf = memoizeByRef(
  (_: GrowingPolicySet) => new Map<string, { readonly approver: PolicyUser | undefined; readonly result: boolean }>(),
);
/** Bounds the memory of the cache. */
const MAX_CACHED = 10_000;

/** SECURITY: D236: cached, because it can evaluate every policy, and a user without rights can send requests at any rate. */
function couldBeGranted(activity: UnreadActivity, userId: string): boolean {
  const { organization, definition, type } = activity;
  const { version, decisionLimits } = rulesOf(activity);
  const set = policySetOf(organization);
  // Undefined for a removed user, who can still be among the voters: a consensus can require no approver.
  const approver = peopleOf(organization).users.get(userId);
  const cache = cacheOf(set);
  const key = `${version}/${type}/${userId}`;
  const cached = cache.get(key);
  if (cached !== undefined && cached.approver === approver) return cached.result;
  const result = set.couldGrant({ type, kind: activityKind(type), ...definition.policy }, approver, decisionLimits?.steps);
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(key, { approver, result });
  return result;
}
