import { memoizeByRef, type Steps } from '@countersign/collections';
import { type ActivityDefinition, activityKind } from '@countersign/contract';
import {
  type ActivityWords,
  type Denial,
  type GrowingPolicySet,
  type PolicyCredential,
  type PolicyUser,
  StepBudget,
} from '@countersign/policy';
import { selfServiceResources } from './authority.ts';
import { policySetOf } from './compiled-policies.ts';
import { credentialsOfUser, oneTimeKeyMay } from './credentials.ts';
import { decideByFreeze } from './freezes.ts';
import type { Approvable, Judgement } from './judgement.ts';
import { peopleOf } from './people.ts';
import { CURRENT_RULES, rulesOf } from './rules.ts';
import type { VoteRecord } from './votes.ts';

/** An activity before its parameters are read. */
type UnreadActivity = Pick<Approvable, 'organization' | 'definition' | 'type' | 'rules'> & {
  /** The submitter's vote first. */
  readonly votes: readonly Pick<VoteRecord, 'userId' | 'publicKey'>[];
  /** Whether it is about the credentials or sessions of other users than the submitter. Otherwise it could be about any. */
  readonly isAboutOthers?: true;
};

/** Denies an activity of a frozen user or of a frozen organization. Returns undefined if a freeze of a key could still stop it. */
export function denyFrozen({ organization, votes, definition }: UnreadActivity): Denial | undefined {
  return decideByFreeze({ organization, target: organization, votes, definition, subject: {}, params: undefined });
}

/**
 * Denies an activity that neither the root quorum, a policy, self-service nor a one-time key can allow to these users. Returns undefined
 * if one of them could. Reads only the type of the activity and its voters, so it is cheap for requests of any size.
 * INVARIANT: if this denies, the full decision denies too, for any parameters.
 */
export function denyEarly(activity: UnreadActivity, budget = budgetOf(activity)): Denial | undefined {
  const frozen = denyFrozen(activity);
  if (frozen !== undefined) return frozen;
  const { organization, votes, definition } = activity;
  const isRoot = votes.some(({ userId }) => organization.profile.rootQuorum.userIds.includes(userId));
  if (isRoot || isOneTimeKey(activity)) return undefined;
  if (definition.rootQuorumOnly) return { outcome: 'DENY', by: 'ROOT_QUORUM_ONLY', policyIds: [], evaluations: [] };
  if (couldBeSelfService(activity)) return undefined;
  if (votes.some(({ userId }) => couldBeGranted(activity, userId, budget))) return undefined;
  return { outcome: 'DENY', by: 'IMPLICIT', policyIds: [], evaluations: [] };
}

/** INVARIANT: as in `authorityOf`, an activity that touches a credential of another user needs a policy or the root quorum. */
function couldBeSelfService({ definition, isAboutOthers }: UnreadActivity): boolean {
  return isAboutOthers !== true && selfServiceResources.includes(definition.policy.resource);
}

function budgetOf(activity: Pick<UnreadActivity, 'rules'>): StepBudget {
  return new StepBudget(rulesOf(activity).decisionLimits?.steps);
}

/** Denials of activity types, regardless of parameters. */
export interface SureDenials {
  /** Of all requests of a type. */
  readonly always: ReadonlyMap<ActivityDefinition, Denial['by']>;
  /** Of requests of further types that are about the credentials or sessions of other users. */
  readonly aboutOthers: ReadonlyMap<ActivityDefinition, Denial['by']>;
}

/**
 * Which of these activity types are denied to a user, regardless of parameters and of the credential that stamps the request. The search
 * ends when it has taken the steps of one decision, and results are cached, so later calls find what is missing.
 * INVARIANT: if a type is in the result, the full decision denies every request of this type that this user submits to this organization. A
 * type that is missing may be denied too.
 * SECURITY: D997: the result follows from the functions that deny submitted requests early.
 * SECURITY: D999: all types share the steps of one decision.
 */
export function* surelyDeniedInSteps(
  definitions: readonly ActivityDefinition[],
  { organization, userId }: { readonly organization: Judgement['organization']; readonly userId: string },
): Steps<SureDenials> {
  const always = new Map<ActivityDefinition, Denial['by']>();
  const aboutOthers = new Map<ActivityDefinition, Denial['by']>();
  const oneTimeKeys = [...credentialsOfUser(organization.apiKeys, userId).values()].flatMap(
    ({ restrictedTo }) => restrictedTo ?? [],
  );
  const rules = CURRENT_RULES;
  const budget = budgetOf({ rules });
  const selfService: UnreadActivity[] = [];
  for (const definition of definitions) {
    // Votes are not decided, and a one-time key needs no policy.
    if (definition.vote !== undefined || oneTimeKeys.some((key) => oneTimeKeyMay(key, definition.name))) continue;
    const votes = [{ userId, publicKey: '' }];
    const activity = { organization, definition, type: definition.type, rules, votes };
    const by = denyEarly(activity, budget)?.by ?? (isAlwaysDenied(activity, userId, budget) ? 'POLICY' : undefined);
    if (by !== undefined) always.set(definition, by);
    else if (couldBeSelfService(activity)) selfService.push({ ...activity, isAboutOthers: true });
    if (budget.isSliceOver) yield undefined;
  }
  for (const activity of selfService) {
    const denial = denyEarly(activity, budget);
    if (denial !== undefined) aboutOthers.set(activity.definition, denial.by);
    if (budget.isSliceOver) yield undefined;
  }
  return { always, aboutOthers };
}

function isOneTimeKey({ organization: { apiKeys, apiKeyByPublicKey }, votes }: UnreadActivity): boolean {
  const keyId = apiKeyByPublicKey.get(votes[0]?.publicKey ?? '');
  return keyId !== undefined && apiKeys.get(keyId)?.restrictedTo !== undefined;
}

interface Cached {
  readonly approver: PolicyUser | undefined;
  readonly result: boolean;
}

/** Results of one policy set, by activity type and user. A result holds until the user or a credential of theirs changes. */
const cacheOf = memoizeByRef((_: GrowingPolicySet) => new Map<string, Cached>());
/** Bounds the memory of the cache. */
const MAX_CACHED = 10_000;

/** SECURITY: D236: cached, because it can evaluate every policy, and a user without rights can send requests at any rate. */
function couldBeGranted(activity: UnreadActivity, userId: string, budget: StepBudget): boolean {
  const { version } = rulesOf(activity);
  const set = policySetOf(activity.organization);
  // Undefined for a removed user, who can still be among the voters: a consensus can require no approver.
  const approver = peopleOf(activity.organization).users.get(userId);
  const find = () => set.couldGrant(wordsOf(activity), approver, budget);
  return cached(set, { key: `${version}/${activity.type}/${userId}`, approver, budget }, find);
}

/** Whether a DENY applies to every request of this type by a user. It does not bind members of the root quorum. */
function isAlwaysDenied(activity: UnreadActivity, userId: string, budget: StepBudget): boolean {
  const { organization, type } = activity;
  const { apiKeys, profile } = organization;
  const approver = peopleOf(organization).users.get(userId);
  if (approver === undefined || profile.rootQuorum.userIds.includes(userId)) return false;
  const set = policySetOf(organization);
  // A one-time key is decided without policies.
  const isJudged = ({ id }: PolicyCredential) => apiKeys.get(id)?.restrictedTo === undefined;
  const find = () =>
    set.alwaysDenies(wordsOf(activity), { ...approver, credentials: approver.credentials?.filter(isJudged) }, budget);
  return cached(set, { key: `DENY/${type}/${userId}`, approver, budget }, find);
}

function wordsOf({ type, definition }: UnreadActivity): ActivityWords {
  return { type, kind: activityKind(type), ...definition.policy };
}

/**
 * SECURITY: D1009: a result of a budget that other types have spent is not cached. It says nothing about this type, and early denials would
 * plan requests that they deny otherwise.
 */
function cached(
  set: GrowingPolicySet,
  { key, approver, budget }: { readonly key: string; readonly approver: PolicyUser | undefined; readonly budget: StepBudget },
  find: () => boolean,
): boolean {
  const cache = cacheOf(set);
  const known = cache.get(key);
  if (known !== undefined && known.approver === approver) return known.result;
  const isWhole = budget.spent === 0;
  const result = find();
  if (budget.isExhausted && !isWhole) return result;
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(key, { approver, result });
  return result;
}
