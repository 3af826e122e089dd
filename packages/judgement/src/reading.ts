import { finished, type Steps } from '@countersign/collections';
import { type ActivityStatus, type QueryDefinition, queryKind } from '@countersign/contract';
import {
  type CompiledPolicy,
  countsForReading,
  type DecisionRequest,
  decideInSteps,
  decisionLimits,
  type PolicySet,
  type QueryWords,
  READ,
  StepBudget,
} from '@countersign/policy';
import { policySetOf } from './compiled-policies.ts';
import { contactsOf } from './contacts.ts';
import type { JudgedOrganization } from './organization.ts';
import { peopleOf } from './people.ts';
import type { DecisionRecord, VoteRecord } from './votes.ts';

/** A query before its input is read. */
export interface Reading {
  /** The organization of the caller, whose users and policies authorize the query. */
  readonly organization: JudgedOrganization;
  /** The organization that is read: the same, or a sub-organization of it. */
  readonly target: Pick<JudgedOrganization, 'id' | 'profile'>;
  readonly query: Pick<QueryDefinition, 'path' | 'reads'>;
  readonly userId: string;
  readonly credentialId: string;
  readonly nowMs: number;
}

/** Whether users of an organization read only what policies allow. */
export function isReadingRestricted({ profile }: Pick<JudgedOrganization, 'profile'>): boolean {
  return profile.features.some(({ name }) => name === 'FEATURE_NAME_READ_POLICIES');
}

/**
 * Whether the caller may read everything that a query shows. Pure.
 * INVARIANT: reading is restricted if the organization that is read, or the one of the caller, restricts it. The caller's organization
 * authorizes the query, as it authorizes activities of its users in sub-organizations.
 * INVARIANT: members of the root quorum read everything. A query has no quorum, and as for activities, no DENY binds them.
 */
export function mayRead(reading: Reading): boolean {
  return finished(mayReadInSteps(reading));
}

/**
 * The same in steps.
 * SECURITY: D434: the policies are evaluated for each resource that the query reads, so a query can take several times as long as a
 * signature.
 */
export function* mayReadInSteps(reading: Reading): Steps<boolean> {
  const { organization, target, query, userId } = reading;
  if (!isReadingRestricted(organization) && !isReadingRestricted(target)) return true;
  if (organization.profile.rootQuorum.userIds.includes(userId)) return true;
  for (const resource of query.reads.resources) if (!(yield* isAllowed(reading, resource))) return false;
  return true;
}

/** The part of an activity that determines whose it is. */
interface OwnableActivity {
  readonly status: ActivityStatus;
  readonly votes: readonly Pick<VoteRecord, 'userId'>[];
  readonly decisions: readonly Pick<DecisionRecord, 'mayApprove'>[];
}

/** Whether an activity is the user's own: the user submitted it, voted on it, or may approve it while it is pending. Pure. */
export function isOwnActivity({ status, votes, decisions }: OwnableActivity, userId: string): boolean {
  if (votes.some((vote) => vote.userId === userId)) return true;
  return status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED' && decisions.at(-1)?.mayApprove?.includes(userId) === true;
}

function* isAllowed(reading: Reading, resource: string): Steps<boolean> {
  const { organization, target, query } = reading;
  const words: QueryWords = {
    kind: queryKind(query),
    resource,
    organization: target.id === organization.id ? 'OWN_ORGANIZATION' : 'SUB_ORGANIZATION',
  };
  const set = countingFor(policySetOf(organization), words);
  // Not stored and never repeated, so the limits apply with every version of the rules.
  const { outcome } = yield* decideInSteps(set, toDecisionRequest(reading, words), decisionLimits);
  return outcome === 'ALLOW';
}

function countingFor(set: PolicySet, words: QueryWords): PolicySet {
  return {
    get policies() {
      return set.policies.filter((policy) => countsForReading(policy, words));
    },
    denyDependsOnPeople: set.denyDependsOnPeople,
    candidates: (values) => finished(countedFor(set.candidates(values), words)),
    candidatesInSteps: (values) => countedFor(set.candidates(values), words),
  };
}

function* countedFor(policies: readonly CompiledPolicy[], words: QueryWords): Steps<readonly CompiledPolicy[]> {
  const pace = new StepBudget();
  const counted: CompiledPolicy[] = [];
  for (const policy of policies) {
    if (countsForReading(policy, words)) counted.push(policy);
    pace.spend(1 + (policy.condition?.cost ?? 0));
    if (pace.isSliceOver) yield undefined;
  }
  return counted;
}

/** The query as policies see it. The caller is the only approver. */
function toDecisionRequest({ organization, userId, credentialId, nowMs }: Reading, words: QueryWords): DecisionRequest {
  const people = peopleOf(organization);
  const user = people.users.get(userId);
  const credential = people.credential(credentialId);
  return {
    approvers: user === undefined ? [] : [user],
    // A read-only session has no credential: its token does not sign.
    credentials: credential === undefined ? [] : [credential],
    requesterId: userId,
    activity: { kind: words.kind, resource: words.resource, action: READ },
    namespaces: { 'query.organization': words.organization, contacts: () => contactsOf(organization) },
    now: nowMs,
    rootQuorum: { threshold: 0, userIds: [] },
    organizationUsers: user === undefined ? new Map() : new Map([[userId, user]]),
  };
}
