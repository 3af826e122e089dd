import { type Client, items } from '@countersign/client';
import { type NamedTag, renderDiagnostic, resolveTags, tagCalls } from '@countersign/policy';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { paintFor, printable } from '../terminal.ts';

/** The members of a policy, and of an update of one, in which `tag('…')` can occur. */
const EXPRESSIONS: readonly string[] = ['condition', 'consensus', 'policyCondition', 'policyConsensus'];

type Lists = Pick<Client, 'listUserTags' | 'listPrivateKeyTags'>;

/**
 * A value with the ids of tags in place of their names, in every policy that it contains. Asks the service only if it contains `tag('…')`.
 * Throws UsageError for a name that no tag has, or several.
 * SECURITY: D445: before the request is stamped, so that what approvers see and what is stored means one tag.
 */
export async function withTagIds<T>(client: Lists, value: T, onFound: (tag: NamedTag) => void): Promise<T> {
  if (!expressionsIn(value).some((text) => tagCalls(text).length > 0)) return value;
  const tags = await listTags(client);
  const shown = new Set<string>();
  return mapExpressions(value, (text, field) => {
    const { text: resolved, found, problems } = resolveTags(text, tags);
    const [problem] = problems;
    if (problem !== undefined)
      throw new UsageError(
        `${field}:\n${renderDiagnostic(text, problem)}`,
        'Run "countersign list-user-tags" and "countersign list-private-key-tags" to list the tags.',
      );
    for (const tag of found) if (!shown.has(tag.id)) onFound(tag);
    for (const { id } of found) shown.add(id);
    return resolved;
  });
}

/** Says on a terminal which tag a name stands for. */
export function shownOn(context: Context): (tag: NamedTag) => void {
  const paint = paintFor(context, context.stderr);
  return ({ id, name, kind }) => {
    if (context.stderr.isTerminal) context.stderr.write(`${paint('dim', printable(`tag('${name}') is the ${kind} ${id}`))}\n`);
  };
}

async function listTags(client: Lists): Promise<readonly NamedTag[]> {
  const tags: NamedTag[] = [];
  const idOf = ({ tagId }: { readonly tagId: string }) => tagId;
  for await (const { tagId, tagName } of items(client.listUserTags, 'userTags', idOf))
    tags.push({ id: tagId, name: tagName, kind: 'user tag' });
  for await (const { tagId, tagName } of items(client.listPrivateKeyTags, 'privateKeyTags', idOf))
    tags.push({ id: tagId, name: tagName, kind: 'private key tag' });
  return tags;
}

function expressionsIn(value: unknown): readonly string[] {
  const texts: string[] = [];
  mapExpressions(value, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}

/** A copy of a JSON value with other expressions. */
function mapExpressions<T>(value: T, map: (text: string, field: string) => string): T {
  if (Array.isArray(value)) return value.map((each) => mapExpressions(each, map)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [
    name,
    typeof member === 'string' && EXPRESSIONS.includes(name) ? map(member, name) : mapExpressions(member, map),
  ]);
  return Object.fromEntries(entries) as T;
}
