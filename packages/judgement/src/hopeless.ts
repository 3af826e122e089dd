import { activityKind } from '@countersign/contract';
import { type CompiledPolicy, couldApply, couldCount, type Decision } from '@countersign/policy';
import { selfServiceResources } from './authority.ts';
import { policySetOf } from './authorize-by-policy.ts';
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

/** What was found out about one version of an organization. */
interface Known {
  /** The policies that could allow a type of activity. */
  readonly policies: Map<string, readonly CompiledPolicy[]>;
  /** By type and user. */
  readonly answers: Map<string, boolean>;
}

const known = new WeakMap<JudgedOrganization, Known>();
/** An organization has more pairs of users and types than are worth keeping. */
const MAX_ANSWERS = 10_000;

function couldBeGranted({ organization, definition, type }: Unplanned, userId: string): boolean {
  const { policies, answers } = knownOf(organization);
  const key = `${type}/${userId}`;
  const answered = answers.get(key);
  if (answered !== undefined) return answered;
  const about = { type, kind: activityKind(type), ...definition.policy };
  const applicable = policies.get(type) ?? policySetOf(organization).policies.filter((policy) => couldApply(policy, about));
  policies.set(type, applicable);
  const approver = peopleOf(organization).users.get(userId);
  // A consensus may ask for nobody, so one who is no longer a user is not ruled out here.
  const answer = applicable.some((policy) => approver === undefined || couldCount(policy, approver));
  if (answers.size >= MAX_ANSWERS) answers.clear();
  answers.set(key, answer);
  return answer;
}

function knownOf(organization: JudgedOrganization): Known {
  const made = known.get(organization) ?? { policies: new Map(), answers: new Map() };
  known.set(organization, made);
  return made;
}
