import { checkPolicy, compilePolicies, decide, type PolicySource } from '@countersign/policy';
import { policyOptions } from '@countersign/server';
import { toCaseFile } from '../case-file.ts';
import { caseOf, contactsOf } from '../history-cases.ts';
import type { PastRequest } from '../past-requests.ts';
import { noRootQuorum } from '../people-file.ts';
import { type Clause, quoted } from './clause.ts';
import { type Group, toGroups } from './evidence.ts';
import { groupClauses } from './group-clauses.ts';

/** Whose past is to be allowed. */
export type Subject = { readonly userId: string } | { readonly tagId: string };

/** A policy that allows what was seen, and what each of its clauses rests on. */
export interface Suggestion {
  readonly policyName: string;
  readonly effect: 'EFFECT_ALLOW';
  readonly condition: string;
  readonly consensus: string;
  readonly evidence: { readonly activities: number; readonly first: string; readonly last: string };
  readonly clauses: readonly Clause[];
  /** What the policy does not limit. */
  readonly gaps: readonly string[];
}

export interface Suggested {
  readonly suggestions: readonly Suggestion[];
  /** Activities that the suggestions would not have allowed: only the root quorum may do such, or they rest on more than a policy sees. */
  readonly left: readonly string[];
}

/**
 * The narrowest policies that would have allowed what a user, or the users with a tag, were allowed to do: one for each kind of request.
 * INVARIANT: every policy was compiled and judged its own evidence, alone and without a root quorum, before it is given.
 * The same past gives the same text.
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

/** The activities that a suggestion alone would not have allowed. */
function refusedBy(
  { policyName, effect, condition, consensus }: Suggestion,
  requests: readonly PastRequest[],
): readonly string[] {
  const policy: PolicySource = { id: policyName, effect, condition, consensus };
  const set = compilePolicies([policy], policyOptions);
  return requests
    .filter((request) => decide(set, decisionRequestOf(request)).outcome !== 'ALLOW')
    .map(({ activityId }) => activityId);
}

/** A past request, as the engine takes it, in an organization without a root quorum. */
export function decisionRequestOf(request: PastRequest) {
  const { state } = request;
  const one = caseOf(request);
  const cases = [{ ...one, namespaces: { ...one.namespaces, contacts: contactsOf(state) } }];
  const file = { users: state.users, rootQuorum: noRootQuorum, policies: [], cases };
  const [read] = toCaseFile(file, 'the past').cases;
  if (read === undefined) throw new Error('a file with one case has no case');
  return read.request;
}
