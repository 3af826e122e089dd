import { formatString } from '../syntax/format.ts';
import { formatTimestamp } from '../time/timestamp.ts';
import type { Type } from '../types.ts';
import { isList, isMap, type PolicyValue } from '../value.ts';

const MAX_TEXT = 96;
const MAX_ITEMS = 5;

/** Formats a value in the syntax of the language, truncated to fit a line. */
export function showValue(value: PolicyValue, type?: Type): string {
  if (typeof value === 'string') return formatString(cutText(value));
  if (typeof value === 'bigint') return type?.kind === 'timestamp' ? formatTimestamp(value) : value.toString();
  if (typeof value === 'boolean') return String(value);
  if (isList(value)) return `[${cutItems(value, value.length, showValue)}]`;
  if (isMap(value)) return `{${cutItems(value, value.size, showEntry)}}`;
  const entries = Object.entries(value);
  return `{${cutItems(entries, entries.length, showEntry)}}`;
}

function showEntry([name, value]: readonly [string, PolicyValue]): string {
  return `${name}: ${showValue(value)}`;
}

/** Truncates a text, with an ellipsis if it is longer. */
export function cutText(text: string, length = MAX_TEXT): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}

function cutItems<T>(items: Iterable<T>, count: number, show: (item: T) => string): string {
  let text = '';
  let shown = 0;
  for (const item of items) {
    if (shown === MAX_ITEMS) return `${text}, … ${count - MAX_ITEMS} more`;
    text += shown === 0 ? show(item) : `, ${show(item)}`;
    shown += 1;
  }
  return text;
}
