import { formatString } from '../syntax/format.ts';
import { formatTimestamp } from '../time/timestamp.ts';
import type { Type } from '../types.ts';
import { isList, isMap, type PolicyValue } from '../value.ts';

const MAX_TEXT = 96;
const MAX_ITEMS = 5;

/** A value in the notation of the language, cut to fit a line. */
export function showValue(value: PolicyValue, type?: Type): string {
  if (typeof value === 'string') return formatString(cutText(value));
  if (typeof value === 'bigint') return type?.kind === 'timestamp' ? formatTimestamp(value) : value.toString();
  if (typeof value === 'boolean') return String(value);
  if (isList(value)) return `[${cutItems(value.map((each) => () => showValue(each)))}]`;
  const entries: readonly (readonly [string, PolicyValue])[] = isMap(value) ? [...value] : Object.entries(value);
  return `{${cutItems(
    entries.map(
      ([name, each]) =>
        () =>
          `${name}: ${showValue(each)}`,
    ),
  )}}`;
}

/** A text cut to a length, with a mark when there is more. */
export function cutText(text: string, length = MAX_TEXT): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}

function cutItems(items: readonly (() => string)[]): string {
  const shown = items.slice(0, MAX_ITEMS).map((show) => show());
  if (items.length > MAX_ITEMS) shown.push(`… ${items.length - MAX_ITEMS} more`);
  return shown.join(', ');
}
