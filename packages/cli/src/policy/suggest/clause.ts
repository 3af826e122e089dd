/** A clause of a suggested condition and its evidence. */
export interface Clause {
  readonly text: string;
  /** Readable reason. */
  readonly why: string;
}

/** A restriction that the policy lacks. */
export interface Gap {
  readonly gap: string;
}

/** Longer lists are omitted: the next value would not be in them. */
export const MAX_LISTED = 20;

/** String literal of the policy language. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** `path == 'a'`, or `path in ['a', 'b']`. Values are sorted to make the text deterministic. */
export function oneOf(path: string, values: readonly string[], write: (value: string) => string = quoted): string {
  const distinct = distinctOf(values).map(write);
  return distinct.length === 1 ? `${path} == ${distinct[0]}` : `${path} in [${distinct.join(', ')}]`;
}

export function distinctOf(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort();
}

/** Readable count of requests per value. */
export function tally(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, MAX_LISTED)
    .map(([value, count]) => `${value} (${count})`)
    .join(', ');
}

/** A clause for a list of values, or the reason for omitting it. */
export function listed(path: string, values: readonly string[] | undefined, what: string): Clause | Gap | undefined {
  if (values === undefined || values.length === 0) return undefined;
  const count = distinctOf(values).length;
  if (count > MAX_LISTED) return { gap: `${what} are not limited: there were ${count} different ones` };
  return { text: oneOf(path, values), why: `${what}: ${tally(values)}` };
}
