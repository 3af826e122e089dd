import type { Group, Person } from './approvers.ts';
import { harms } from './corpus.ts';
import type { ReceiverKind } from './receivers.ts';
import type { AllowedRequest, WorstCase } from './worst-case.ts';

/** The name of a tag, or undefined if it is not known. */
export type TagName = (tagId: string) => string | undefined;

const receivers: Readonly<Record<ReceiverKind, string>> = {
  ANYONE: 'anyone',
  CONTACT: 'a contact',
  NAMED: 'an address that the policy names',
};
const widest: readonly ReceiverKind[] = ['ANYONE', 'CONTACT', 'NAMED'];

/** The most harms in one sentence. */
const MAX_HARMS = 6;

/** What a policy allows at worst, as a sentence without its end. `before` is what it allowed before a change. */
export function worstCaseWords(worst: WorstCase, tagName: TagName = () => undefined, before?: WorstCase): string {
  const { allowed, tried, untried, isComplete } = worst;
  const unfinished = isComplete ? '' : '; not all requests were tried';
  if (untried === 'INVALID') return 'not tried, because it names something that is not known here, such as a spending limit';
  if (untried !== undefined) return `no approvers were found who satisfy its consensus${unfinished}`;
  if (allowed.length === 0) return `none of ${tried} tried requests is allowed${unfinished}`;
  const known = new Set(
    before === undefined ? [] : byGroup(before.allowed, tagName).flatMap(({ who, does }) => does.map((it) => `${who} ${it}`)),
  );
  const parts = byGroup(allowed, tagName).flatMap(({ who, does }) => {
    const added = does.filter((harm) => before !== undefined && !known.has(`${who} ${harm}`));
    const kept = does.filter((harm) => !added.includes(harm));
    return [
      ...(added.length > 0 ? [`new: ${who} may ${listed(added)}`] : []),
      ...(kept.length > 0 ? [`${before === undefined ? '' : 'as before: '}${who} may ${listed(kept)}`] : []),
    ];
  });
  parts.sort((a, b) => Number(b.startsWith('new')) - Number(a.startsWith('new')));
  return `${parts.join('. ')}${unfinished}`;
}

/** What becomes possible when a DENY policy is changed or removed, as a sentence without its end. */
export function releasedWords({ allowed, tried, untried, isComplete }: WorstCase, tagName: TagName = () => undefined): string {
  const unfinished = isComplete ? '' : '; not all requests were tried';
  if (untried !== undefined) return `no approvers were found to whom it applies${unfinished}`;
  if (allowed.length === 0)
    return isComplete
      ? `none of ${tried} tried requests becomes possible`
      : `no request was found that becomes possible${unfinished}`;
  const parts = byGroup(allowed, tagName).map(({ who, does }) => `${who} may then ${listed(does)}`);
  return `${parts.join('. ')}${unfinished}`;
}

/** The harms by who may do them, without those that a worse one covers. */
export function byGroup(
  allowed: readonly AllowedRequest[],
  tagName: TagName,
): readonly { readonly who: string; readonly does: readonly string[] }[] {
  const groups = new Map<string, AllowedRequest[]>();
  for (const each of allowed) {
    const who = groupWords(each.group, tagName);
    groups.set(who, [...(groups.get(who) ?? []), each]);
  }
  return [...groups].map(([who, list]) => ({ who, does: harmWords(list) }));
}

function harmWords(allowed: readonly AllowedRequest[]): readonly string[] {
  const found = new Map<string, ReceiverKind>();
  for (const { request, to = 'ANYONE' } of allowed) {
    const before = found.get(request.harm);
    if (before === undefined || widest.indexOf(to) < widest.indexOf(before)) found.set(request.harm, to);
  }
  const isCovered = (id: string, to: ReceiverKind) =>
    harms.some((harm) => {
      const wider = found.get(harm.id);
      return wider !== undefined && harm.covers?.includes(id) === true && widest.indexOf(wider) <= widest.indexOf(to);
    });
  return harms.flatMap(({ id, harm }) => {
    const to = found.get(id);
    return to === undefined || isCovered(id, to) ? [] : [harm.replace('{to}', receivers[to])];
  });
}

/** What a request does, in words. */
export function harmOf({ request, to = 'ANYONE' }: Pick<AllowedRequest, 'request' | 'to'>): string {
  return (harms.find(({ id }) => id === request.harm)?.harm ?? '').replace('{to}', receivers[to]);
}

function listed(harmList: readonly string[]): string {
  const more = harmList.length - MAX_HARMS;
  return `${harmList.slice(0, MAX_HARMS).join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

const numbers = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven'];
const countWord = (count: number) => numbers[count] ?? String(count);

/** Approvers in words, such as `any two users`. */
export function groupWords({ people, byPasskey }: Group, tagName: TagName): string {
  const kinds = new Map<string, Person[]>();
  for (const person of people) {
    const kind = JSON.stringify([person.kind, person.values]);
    kinds.set(kind, [...(kinds.get(kind) ?? []), person]);
  }
  const words = [...kinds.values()].map((same) => personWords(same[0] as Person, same.length, tagName));
  return `${words.join(' and ')}${byPasskey ? ', with passkeys,' : ''}`;
}

function personWords({ kind, values }: Person, count: number, tagName: TagName): string {
  if (kind === 'USER') return `the user ${values.map(quoted).join(' ')}`;
  const users = count === 1 ? 'any user' : `any ${countWord(count)} users`;
  if (kind === 'ANY') return users;
  return `${users} with the ${values.length === 1 ? 'tag' : 'tags'} ${values.map((id) => quoted(tagName(id) ?? id)).join(' and ')}`;
}

/** The longest name that a sentence contains. */
const MAX_NAME = 60;

/**
 * A name in quotation marks.
 * SECURITY: D412: users choose names. One must not end the quotation, or break the line, and continue as the words of the service.
 */
export function quoted(name: string): string {
  const plain = name.replace(/[\p{C}\p{Z}]+/gu, ' ').replace(/["“”„«»]/g, "'");
  return `"${plain.length > MAX_NAME ? `${plain.slice(0, MAX_NAME)}…` : plain}"`;
}
