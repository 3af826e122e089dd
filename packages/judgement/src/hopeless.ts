import { activityKind } from '@countersign/contract';
import { couldApply, type Decision } from '@countersign/policy';
import { selfServiceResources } from './authority.ts';
import { policySetOf } from './compiled-policies.ts';
import { derived } from './derived.ts';
import type { Approvable } from './judgement.ts';
import type { JudgedOrganization } from './organization.ts';
import { peopleOf } from './people.ts';
import type { VoteRecord } from './votes.ts';

/** What is known of an activity before its executor has planned it. */
type Unplanned = Pick<Approvable, 'organization' | 'definition' | 'type'> & {
  /** The submitter's first. */
  readonly votes: readonly Pick<VoteRecord, 'userId' | 'publicKey'>[];
};

/**
 * The refusal of an activity that nothing could allow to these users: not the root quorum, no policy, not self-service, no one-time key.
 * Undefined where one of them might. Cheap: it looks at who asks for which type of activity, and not at its parameters.
 * INVARIANT: where this refuses, the full decision on any parameters would neither allow the activity nor have it wait for approvals.
 */
export function hopeless(activity: Unplanned): Decision | undefined {
  const { organization, votes, definition } = activity;
  const isRoot = votes.some(({ userId }) => organization.profile.rootQuorum.userIds.includes(userId));
  if (isRoot || isOneTimeKey(activity)) return undefined;
  if (definition.rootQuorumOnly) return { outcome: 'DENY', by: 'ROOT_QUORUM_ONLY', policyIds: [], evaluations: [] };
  if (selfServiceResources.includes(definition.policy.resource)) return undefined;
  if (votes.some(({ userId }) => couldBeGranted(activity, userId))) return undefined;
  return { outcome: 'DENY', by: 'IMPLICIT', policyIds: [], evaluations: [] };
}

function isOneTimeKey({ organization: { apiKeys, apiKeyByPublicKey }, votes }: Unplanned): boolean {
  const keyId = apiKeyByPublicKey.get(votes[0]?.publicKey ?? '');
  return keyId !== undefined && apiKeys.get(keyId)?.restrictedTo !== undefined;
}

/** What was found out about one version of an organization, by type and user. */
const answersOf = derived((_: JudgedOrganization) => new Map<string, boolean>());
/** An organization has more pairs of users and types than are worth keeping. */
const MAX_ANSWERS = 10_000;

function couldBeGranted({ organization, definition, type }: Unplanned, userId: string): boolean {
  const answers = answersOf(organization);
  const key = `${type}/${userId}`;
  const answered = answers.get(key);
  if (answered !== undefined) return answered;
  const about = { type, kind: activityKind(type), ...definition.policy };
  const approver = peopleOf(organization).users.get(userId);
  const set = policySetOf(organization);
  // A consensus may ask for nobody, so one who is no longer a user is not ruled out here.
  const answer =
    approver === undefined ? set.policies.some((policy) => couldApply(policy, about)) : set.couldGrant(about, approver);
  if (answers.size >= MAX_ANSWERS) answers.clear();
  answers.set(key, answer);
  return answer;
}
