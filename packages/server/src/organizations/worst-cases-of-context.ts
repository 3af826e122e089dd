import {
  canonicalEmail,
  contactsOf,
  namedIn,
  policiesNaming,
  policiesTrusting,
  policySetOf,
  quoted,
  releasedInSteps,
  releasedWords,
  WORST_CASE_STEPS,
  type WorstCase,
  worstCaseInSteps,
  worstCaseWords,
} from '@countersign/judgement';
import { StepBudget, stringLiterals } from '@countersign/policy';
import { type EndSlice, inSlices } from '../admission/index.ts';
import type { OrganizationRecord, UserRecord } from './records.ts';
import type { ContextChange } from './rule-change.ts';
import type { Snapshot } from './snapshot/snapshot.ts';
import { MAX_SHOWN } from './worst-cases.ts';

/** Users of the root quorum whom a sentence names. */
const MAX_NAMED = 10;

/**
 * Warnings that say what is allowed at worst after a change of people, contacts or tokens: by the policies that depend on what changes, by those
 * that ask nothing of a new user, and by the root quorum.
 * SECURITY: D558: a tag or a contact says nothing about what it allows. D410: in slices, and all policies share one budget.
 */
export async function worstCasesOfContext(
  before: Snapshot,
  after: Snapshot,
  change: ContextChange,
  { nowMs, endSlice }: { readonly nowMs: number; readonly endSlice: EndSlice },
): Promise<readonly string[]> {
  const search = { nowMs, budget: new StepBudget(WORST_CASE_STEPS) };
  const tagName = (id: string) => (after.records.userTag.get(id) ?? before.records.userTag.get(id))?.tagName;
  const lines = quorumLine(before, after);
  const depending = await dependingPolicies(before, after, change, endSlice);
  const open = hasNewcomers(before, change) ? allowsBeside(after, depending) : [];
  let left = depending.length + open.length;
  for (const id of [...depending, ...open]) {
    if (lines.length >= MAX_SHOWN || search.budget.isExhausted) break;
    left -= 1;
    const line = await lineOf(id);
    if (line !== undefined) lines.push(`WORST_CASE: policy ${line}`);
  }
  if (left > 0) lines.push(`WORST_CASE: ${left} further policies were not tried (use \`countersign policy check\`)`);
  return lines.length > 0 ? lines : ['WORST_CASE: no policy was found that depends on what changes here'];

  async function lineOf(id: string): Promise<string | undefined> {
    const policy = after.policies.get(id);
    if (policy === undefined) return undefined;
    const name = quoted(policy.policyName);
    if (policy.effect === 'EFFECT_DENY') {
      const without = { ...after, policies: after.policies.without(id) };
      const released = await inSlices(releasedInSteps(after, without, id, search), endSlice);
      return `${name} denies, and depends on what changes here. Where it does not deny: ${releasedWords(released, tagName)}`;
    }
    const worst = await inSlices(worstCaseInSteps(after, id, search), endSlice);
    const words = worstCaseWords(worst, tagName);
    if (depending.includes(id)) return `${name} depends on what changes here: ${words}`;
    return isOpen(worst) ? `${name} asks nothing of a user: ${words}` : undefined;
  }
}

/** Whether a user of whom the policy asks nothing is among its approvers. */
function isOpen({ allowed }: WorstCase): boolean {
  return allowed.some(({ group }) => group.people.some(({ kind }) => kind === 'ANY'));
}

function hasNewcomers({ users: known }: Snapshot, { users = new Map() }: ContextChange): boolean {
  return [...users].some(([id, user]) => user !== undefined && !known.has(id));
}

function allowsBeside({ policies }: Snapshot, others: readonly string[]): readonly string[] {
  return [...policies].filter(([id, { effect }]) => effect === 'EFFECT_ALLOW' && !others.includes(id)).map(([id]) => id);
}

/**
 * The ids of the policies that depend on users, contacts or symbols of tokens that change.
 * SECURITY: D644: in slices, because a request can change many users with many tags each.
 */
async function dependingPolicies(
  before: Snapshot,
  after: Snapshot,
  { users = new Map(), contacts, tokens = new Map() }: ContextChange,
  endSlice: EndSlice,
): Promise<readonly string[]> {
  const ids = new Set<string>();
  const add = (found: readonly string[]) => {
    for (const id of found) ids.add(id);
  };
  for (const [id, user] of users) {
    const stored = before.users.get(id);
    if (stored === undefined || user === undefined) add(policiesNaming(after, id));
    for (const tag of differing(stored?.userTags, user?.userTags)) add(policiesTrusting(after, 'TAGS', tag));
    for (const name of differing(textOf(stored?.userName), textOf(user?.userName))) add(policiesTrusting(after, 'NAME', name));
    for (const email of differing(emailOf(stored), emailOf(user))) add(policiesTrusting(after, 'EMAIL', email));
    await endSlice();
  }
  for (const [id, token] of tokens) {
    const { symbol } = token ?? before.records.token.get(id) ?? {};
    if (symbol !== undefined) add(policiesNaming(after, symbol));
  }
  if (contacts !== undefined) add(policiesOn(before, after, contacts));
  return [...ids];
}

/** The values that only one of two lists has. */
function differing(a: readonly string[] = [], b: readonly string[] = []): readonly string[] {
  return [...a.filter((value) => !b.includes(value)), ...b.filter((value) => !a.includes(value))];
}

const textOf = (text: string | undefined) => (text === undefined ? [] : [text]);
const emailOf = (user: UserRecord | undefined) => textOf(user?.userEmail).map(canonicalEmail);

/** The ids of the policies for which contacts matter: by a tag or as one of all, and by a limit for each tag of contacts. */
function policiesOn(before: Snapshot, after: Snapshot, changed: NonNullable<ContextChange['contacts']>): readonly string[] {
  const { velocityControl } = after.records;
  const known = [before, after].map((organization) => contactsOf(organization).tagged);
  const pairs = [...changed].map(([id, contact]) => ({ stored: before.records.contact.get(id), contact }));
  const tags = new Set(pairs.flatMap(({ stored, contact }) => differing(stored?.contactTags, contact?.contactTags)));
  const isMember = pairs.some(({ stored, contact }) => stored === undefined || contact === undefined);
  return policySetOf(after).policies.flatMap((policy) => {
    const limits = namedIn(policy, velocityControl).flatMap((id) => velocityControl.get(id) ?? []);
    if (tags.size > 0 && limits.some(({ aggregation }) => aggregation.groupBy?.contactTag !== undefined)) return [policy.id];
    if (policy.condition?.uses.some(({ namespace: { path } }) => path === 'contacts') !== true) return [];
    const { condition = '' } = policy.source;
    const named = stringLiterals(condition);
    // A policy that names no tag reads all contacts, or tags in a way that is not searched.
    const isOfAll = /\bcontacts\s*\.\s*all\b/.test(condition) || !named.some((text) => known.some((book) => book.has(text)));
    return named.some((text) => tags.has(text)) || (isOfAll && (isMember || tags.size > 0)) ? [policy.id] : [];
  });
}

/** What the root quorum may do, if it changes. */
function quorumLine(before: Snapshot, after: Snapshot): string[] {
  if (before.profile.rootQuorum === after.profile.rootQuorum) return [];
  const [now, then] = [before, after].map(({ users, profile }) => quorumWords(users, profile.rootQuorum));
  return [`WORST_CASE: ${then} may do everything, also what policies deny. Until now: ${now}`];
}

function quorumWords(users: Snapshot['users'], { threshold, userIds }: OrganizationRecord['rootQuorum']): string {
  const names = userIds.slice(0, MAX_NAMED).map((id) => quoted(users.get(id)?.userName ?? id));
  const more = userIds.length - names.length;
  const list = `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  if (userIds.length === 1) return `the user ${list} alone`;
  if (threshold === userIds.length) return `the users ${list}, all ${threshold} together,`;
  return threshold === 1 ? `each of the users ${list} alone` : `any ${threshold} of the users ${list} together`;
}
