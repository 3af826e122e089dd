/** The most characters of a text that a value shows. */
const MAX_TEXT = 2_000;
/** Characters before a difference that a shortened text shows. */
const BEFORE_DIFFERENCE = 200;

/**
 * Text that a user wrote, in quotation marks. A note after the closing mark counts the characters that are cut.
 * SECURITY: D495: no character can end the quotation, begin a line, be invisible or change the direction of what follows. Otherwise a name
 * continues as the words of the service.
 */
export function quoteText(text: string): string {
  return quoteFrom(text, 0);
}

/** Two texts in quotation marks. Of long ones, the part that differs is shown, so that a long beginning does not hide a change. */
export function quoteDifference(before: string, after: string): readonly [string, string] {
  if (before.length <= MAX_TEXT && after.length <= MAX_TEXT) return [quoteText(before), quoteText(after)];
  const start = Math.max(0, sharedLength(before, after) - BEFORE_DIFFERENCE);
  return [quoteFrom(before, start), quoteFrom(after, start)];
}

function quoteFrom(text: string, start: number): string {
  const left = text.length - start - MAX_TEXT;
  const same = start === 0 ? '' : `(after ${start} unchanged characters) `;
  return `${same}"${escaped(text.slice(start, start + MAX_TEXT))}"${left > 0 ? ` (and ${left} more characters)` : ''}`;
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}

/** Quotation marks, control, format and unassigned characters, invisible ones, separators other than a space, and piles of marks. */
const UNSAFE = /["\\]|[\p{C}\p{Default_Ignorable_Code_Point}]|(?! )\p{Z}|(?<=\p{M}\p{M})\p{M}/gu;

const escapes: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(text: string): string {
  return text.replace(UNSAFE, (each) => escapes[each] ?? `\\u{${(each.codePointAt(0) as number).toString(16)}}`);
}
