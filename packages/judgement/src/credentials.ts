import {
  type Derived,
  type Index,
  indexedBy,
  MappedView,
  memoizeByRef,
  PersistentMap,
  type Steps,
} from '@countersign/collections';
import { activities } from '@countersign/contract';
import type { Decision } from '@countersign/policy';
import { evaluateOver } from './activity-view.ts';
import { demands, isAuthorityActivity } from './authority-activities.ts';
import { decideByFreeze } from './freezes.ts';
import type { Approvable, Judgement } from './judgement.ts';
import type { ApiKeyRecord, AuthenticatorRecord } from './records.ts';
import { rulesOf } from './rules.ts';

interface OwnedByUser {
  readonly userId: string;
}

const byHolder = indexedBy<OwnedByUser>(({ userId }) => [userId]);
const none = PersistentMap.empty<never>();

/** The records of one kind that belong to a user, such as API keys. The cost does not depend on the records of other users. */
export function credentialsOfUser<T extends OwnedByUser>(all: ReadonlyMap<string, T>, userId: string): ReadonlyMap<string, T> {
  return (byHolder(all).get(userId) as ReadonlyMap<string, T> | undefined) ?? none;
}

const byPublicKey = indexedBy(({ publicKey }: ApiKeyRecord) => [publicKey]);
const byCredentialId = indexedBy(({ credentialId }: AuthenticatorRecord) => [credentialId]);

/** Ids of API keys by canonical public key. */
export const idByPublicKey = idByText(byPublicKey);
/** Ids of authenticators by credential id. */
export const idByCredentialId = idByText(byCredentialId);

/** Builds the credential indexes in steps, so that the first request does not build them in one go. */
export function* indexCredentials(
  apiKeys: ReadonlyMap<string, ApiKeyRecord>,
  authenticators: ReadonlyMap<string, AuthenticatorRecord>,
): Steps<undefined> {
  yield* byPublicKey.inSteps(apiKeys);
  yield* byCredentialId.inSteps(authenticators);
  yield* byHolder.inSteps(apiKeys);
  yield* byHolder.inSteps(authenticators);
  return undefined;
}

/** Ids by a unique text. If two records share it, the later id wins. */
function idByText<T>(index: Derived<T, Index<T>>): (all: ReadonlyMap<string, T>) => ReadonlyMap<string, string> {
  return memoizeByRef(
    (all: ReadonlyMap<string, T>) => new MappedView(index(all), (sharing) => [...sharing.keys()].at(-1) as string),
  );
}

/**
 * The decision that precedes all approvals and policies: DENY for what is frozen and for a session whose profile does not allow the
 * activity, or the decision of a one-time key. Undefined otherwise.
 * SECURITY: it precedes the root quorum, which a root user's session could meet alone.
 */
export function decideByCredential(judgement: Judgement): Decision | undefined {
  rulesOf(judgement);
  return decideByFreeze(judgement) ?? bySession(judgement) ?? byOneTimeKey(judgement);
}

function bySession(judgement: Judgement): Decision | undefined {
  if (scopeRefusal(judgement, judgement.votes[0]?.credentialId) === undefined) return undefined;
  return { outcome: 'DENY', by: 'IMPLICIT', policyIds: [], evaluations: [] };
}

function byOneTimeKey(judgement: Judgement): Decision | undefined {
  const verdict = oneTimeKeyDecision(judgement);
  if (verdict === undefined) return undefined;
  const base = { policyIds: [], evaluations: [] };
  return verdict.allowed ? { outcome: 'ALLOW', by: 'SELF_SERVICE', ...base } : { outcome: 'DENY', by: 'IMPLICIT', ...base };
}

/**
 * Why the profile of a session does not allow an activity, as a complete message. Undefined if it does, and for credentials without a
 * profile.
 * SECURITY: an activity is out of scope if the scope cannot be evaluated for it. Activities that decide who may act must be named by the
 * scope: with `activity.action != 'EXPORT'` alone, a session could create a credential without a profile and export with that.
 */
export function scopeRefusal(
  {
    organization,
    definition,
    type,
    params,
    rules,
  }: Pick<Approvable, 'organization' | 'definition' | 'type' | 'params' | 'rules'>,
  credentialId: string | undefined,
): string | undefined {
  const limit = organization.apiKeys.get(credentialId ?? '')?.limitedTo;
  if (limit === undefined) return undefined;
  const activity = { definition, type, params, rules };
  const { sessionProfileName: name, scope } = limit;
  if (evaluateOver(activity, scope) !== true)
    return `request not authorized: the profile of this session ("${name}") does not allow it. Sign in without the profile, or with another.`;
  if (isAuthorityActivity(activity) && !demands(scope, activity))
    return `request not authorized: this decides who may act, and the scope of this session's profile ("${name}") does not name it. Sign in without the profile.`;
  return undefined;
}

/**
 * The decision on an activity that was submitted with a one-time key: a key that was sent by mail and is valid for one object of one
 * activity. Undefined for other credentials. `refusal` is a complete message, if there is a specific reason.
 * SECURITY: such a key never counts as an approval, even if its user is a root user. It is only one factor, so it cannot add a passkey for
 * a user with MFA policies. Otherwise read access to the mailbox would be enough to create the second factor.
 */
export function oneTimeKeyDecision({
  organization,
  votes,
  definition,
  subject,
}: Judgement): { readonly allowed: boolean; readonly refusal?: string } | undefined {
  const keyId = organization.apiKeyByPublicKey.get(votes[0]?.publicKey ?? '');
  const restriction = keyId === undefined ? undefined : organization.apiKeys.get(keyId)?.restrictedTo;
  if (restriction === undefined) return undefined;
  if (!oneTimeKeyMay(restriction, definition.name) || restriction.subjectId !== subject.oneTimeSubjectId)
    return { allowed: false };
  if (!demandsMoreThanMail(organization, votes[0]?.userId ?? '')) return { allowed: true };
  return {
    allowed: false,
    refusal:
      'request not authorized: this user has an MFA policy, and a key that came by mail is not enough to add a passkey. Approve create_authenticators with what the policy demands, or ask the root quorum.',
  };
}

/** Whether a one-time key may submit an activity of this name: the one that it was created for, or its own exchange. */
export function oneTimeKeyMay(restriction: NonNullable<ApiKeyRecord['restrictedTo']>, name: string): boolean {
  return name === restriction.activity || name === activities.exchangeOneTimeKey.name;
}

/** Whether a user has MFA policies, so that a one-time key cannot add a passkey for them. */
export function demandsMoreThanMail({ records }: Pick<Approvable['organization'], 'records'>, userId: string): boolean {
  return credentialsOfUser(records.mfaPolicy, userId).size > 0;
}

/** Whether an API key has expired. */
export function expired({ createdAtMs, expirationSeconds }: ApiKeyRecord, nowMs: number): boolean {
  return expirationSeconds !== undefined && createdAtMs + Number(expirationSeconds) * 1000 <= nowMs;
}
