import { checkPolicy, compilePolicies, type PolicySource } from '@countersign/policy';
import { decideRequest, policyOptions } from '@countersign/server';
import { toCaseFile } from '../case-file.ts';
import { caseOf, contactsOf } from '../history-cases.ts';
import type { PastRequest } from '../past-requests.ts';
import { noRootQuorum } from '../people-file.ts';
import { type Clause, quoted } from './clause.ts';
import { type Group, toGroups } from './evidence.ts';
import { groupClauses } from './group-clauses.ts';

/** User or tag whose past activities the suggestion allows. */
export type Subject = { readonly userId: string } | { readonly tagId: string };

/** A suggested policy and the evidence for its clauses. */
export interface Suggestion {
  readonly policyName: string;
  readonly effect: 'EFFECT_ALLOW';
  readonly condition: string;
  readonly consensus: string;
  readonly evidence: { readonly activities: number; readonly first: string; readonly last: string };
  readonly clauses: readonly Clause[];
  /** Missing limits of the policy. */
  readonly gaps: readonly string[];
}

export interface Suggested {
  readonly suggestions: readonly Suggestion[];
  /** Activities that the suggestions do not allow: only the root quorum may perform them, or their decision depends on more than a policy sees. */
  readonly left: readonly string[];
}

/**
 * The narrowest policies that allow the past activities of a user, or of users with a tag: one per kind of request. Deterministic.
 * INVARIANT: every returned policy was compiled and allows its own evidence, alone and without a root quorum.
 */
export function suggest(requests: readonly PastRequest[], subject: Subject): Suggested {
  const wanted = requests.filter((request) => request.decided === 'ALLOW' && isOf(request, subject));
  const suggestions: Suggestion[] = [];
  const left: string[] = [];
  for (const group of toGroups(wanted)) {
    const suggestion = suggestionFor(group, subject);
    const refused = refusedBy(suggestion, group.requests);
    if (refused.length < group.requests.length) suggestions.push(suggestion);
    left.push(...refused);
  }
  return { suggestions, left };
}

export function isOf({ userId, state }: PastRequest, subject: Subject): boolean {
  if ('userId' in subject) return userId === subject.userId;
  return state.users.find(({ id }) => id === userId)?.tags.includes(subject.tagId) === true;
}

function suggestionFor({ kind, signed, requests }: Group, subject: Subject): Suggestion {
  const parts = groupClauses({ kind, signed, requests });
  const clauses = parts.filter((part): part is Clause => 'text' in part).filter(({ text }) => isValid(text));
  const who =
    'userId' in subject
      ? `approvers.any(user, user.id == ${quoted(subject.userId)})`
      : `approvers.any(user, user.tags.contains(${quoted(subject.tagId)}))`;
  const fewest = Math.min(...requests.map(({ approvers }) => new Set(approvers.map(({ userId }) => userId)).size));
  const times = requests.map(({ decidedAtMs }) => Number(decidedAtMs));
  const day = (ms: number) => new Date(ms).toISOString();
  const name = `${'userId' in subject ? subject.userId : subject.tagId}: ${kind}${signed === undefined ? '' : ` (${signed})`}`;
  return {
    policyName: name,
    effect: 'EFFECT_ALLOW',
    condition: clauses.map(({ text }) => text).join('\n  && '),
    consensus: fewest > 1 ? `${who} && approvers.count() >= ${fewest}` : who,
    evidence: { activities: requests.length, first: day(Math.min(...times)), last: day(Math.max(...times)) },
    clauses,
    gaps: parts.flatMap((part) => ('gap' in part ? [part.gap] : [])),
  };
}

function isValid(condition: string): boolean {
  return checkPolicy({ condition }, policyOptions).length === 0;
}

/** Activities that a suggestion alone does not allow. */
function refusedBy(
  { policyName, effect, condition, consensus }: Suggestion,
  requests: readonly PastRequest[],
): readonly string[] {
  const policy: PolicySource = { id: policyName, effect, condition, consensus };
  const set = compilePolicies([policy], policyOptions);
  return requests
    .filter((request) => decideRequest(set, decisionRequestOf(request)).outcome !== 'ALLOW')
    .map(({ activityId }) => activityId);
}

/** A past request for the policy engine, in an organization without a root quorum. */
export function decisionRequestOf(request: PastRequest) {
  const { state } = request;
  const one = caseOf(request);
  const cases = [{ ...one, namespaces: { ...one.namespaces, contacts: contactsOf(state) } }];
  const file = { users: state.users, rootQuorum: noRootQuorum, policies: [], cases };
  const [read] = toCaseFile(file, 'the past').cases;
  if (read === undefined) throw new Error('a file with one case has no case');
  return read.request;
}
