import { didYouMean } from '../check/suggest.ts';
import type { Diagnostic } from '../diagnostic.ts';
import { formatString } from '../syntax/format.ts';
import { replaceTags, tagCalls } from './tag-calls.ts';

/** A tag of an organization. */
export interface NamedTag {
  readonly id: string;
  readonly name: string;
  /** What it marks, in words. */
  readonly kind: 'user tag' | 'private key tag';
}

/** An expression with the ids of its tags. */
export interface ResolvedTags {
  /** The given text if there are problems. */
  readonly text: string;
  /** The names that were replaced, with their ids. */
  readonly found: readonly NamedTag[];
  readonly problems: readonly Diagnostic[];
}

/** Text that looks like an id. */
const idShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The most names that are searched for a similar one, and the most problems that are reported. */
const MAX_SEARCHED = 1_000;
const MAX_PROBLEMS = 5;
const MAX_LISTED = 12;

/**
 * Replaces the names in `tag('…')` by ids, for a client that is about to send a policy.
 * SECURITY: D445: an id is never looked up as a name, not even one that no tag has any more, because other users choose names. A name is
 * compared whole, and one that several tags have, or none, is a problem: nothing is chosen.
 */
export function resolveTags(text: string, tags: readonly NamedTag[]): ResolvedTags {
  const ids = new Set(tags.map(({ id }) => id));
  const byName = new Map<string, NamedTag[]>();
  for (const tag of tags) if (!idShape.test(tag.name)) byName.set(tag.name, [...(byName.get(tag.name) ?? []), tag]);
  const names = tagCalls(text).filter(({ value }) => !ids.has(value));
  const wrong = names.filter(({ value }) => byName.get(value)?.length !== 1);
  if (wrong.length > 0) {
    const problems = wrong.slice(0, MAX_PROBLEMS).map(({ value, span }): Diagnostic => {
      return { code: 'UNKNOWN_LITERAL', span, ...tagProblem(value, byName.get(value) ?? [], tags) };
    });
    return { text, found: [], problems };
  }
  const found = new Map(names.map(({ value }) => [value, (byName.get(value) as [NamedTag])[0]]));
  return { text: replaceTags(text, (value) => found.get(value)?.id), found: [...found.values()], problems: [] };
}

/** Why a text is not the name of one tag. `same` are the tags with that name. */
export function tagProblem(
  name: string,
  same: readonly NamedTag[],
  tags: readonly NamedTag[],
): { readonly message: string; readonly help: string } {
  const [first] = same;
  if (first !== undefined) {
    const choices = same.slice(0, MAX_LISTED).map(({ id, kind }) => `tag(${formatString(id)}) (${kind})`);
    return { message: `\`${shown(name)}\` is the name of several tags`, help: `write one of ${choices.join(', ')}` };
  }
  const near = didYouMean(
    name,
    tags.slice(0, MAX_SEARCHED).map((tag) => shown(tag.name)),
  );
  return { message: `there is no tag \`${shown(name)}\``, help: near ?? 'create the tag first' };
}

/** The longest name that a message contains. */
const MAX_NAME = 80;

/** A name without characters that hide or reorder text. */
function shown(name: string): string {
  return name.replace(/[\p{C}\p{Zl}\p{Zp}`]/gu, ' ').slice(0, MAX_NAME);
}
