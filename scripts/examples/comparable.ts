import type { Json } from '../../test/support/caller.ts';
import type { Example } from './recorder.ts';

/** Base64url of `{"`: the start of every signed JSON token, also of a truncated one. */
const TOKEN = /eyJ[\w.-]+/;
/** Values that differ in every run, by kind. The first matching kind consumes the characters. */
const MADE_ANEW: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['id', /\b[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/],
  ['time', /\b\d{4}-\d\d-\d\dT[\d:.]+Z|\b\d{10,13}\b/],
  ['token', TOKEN],
  ['hex', /(?:0x|\b|_)[0-9a-fA-F]{12,}/],
  ['text', /[\w+/-]{32,}=*/],
  // Truncation leaves only a part of the last value.
  ['cut', /[\w+/-]+…/],
];
const PATTERN = new RegExp(MADE_ANEW.map(([, pattern]) => `(${pattern.source})`).join('|'), 'g');
/** Fields whose few possible values differ from run to run: the parity of a signature, a one-time code, and how long requests took. */
const FIELDS_MADE_ANEW = new Set(['v', 'otpCode', 'medianMs', 'p99Ms']);

/**
 * The recording, but with the earlier example of an operation if both differ only in values that differ in every run. So the file changes
 * only if the service answers differently, and the values of an example come from one real call.
 */
export function keepUnchanged(
  earlier: Readonly<Record<string, Example>>,
  recorded: Readonly<Record<string, Example>>,
): Record<string, Example> {
  return Object.fromEntries(
    Object.entries(recorded).map(([name, example]) => {
      const before = earlier[name];
      return [name, before !== undefined && comparable(before) === comparable(example) ? before : example];
    }),
  );
}

/** The example as text, with a number for each id and the kind and rough length of each other value that differs in every run. */
export function comparable(example: Example): string {
  const ids = new Map<string, number>();
  const numberOf = (id: string) => {
    const known = ids.get(id) ?? ids.size + 1;
    ids.set(id, known);
    return known;
  };
  const settle = (text: string) =>
    text.replace(PATTERN, (value, ...groups) => {
      const [kind = ''] = MADE_ANEW.find((_, at) => groups[at] !== undefined) ?? [];
      // Lengths of one kind differ a little: DER leaves out and adds zeros, base58 has no fixed width.
      if (kind === 'id') return `<id ${numberOf(value)}>`;
      return kind === 'hex' || kind === 'text' ? `<${kind} ${Math.ceil(value.length / 16)}>` : `<${kind}>`;
    });
  const walk = (value: Json, field = ''): Json => {
    if (typeof value === 'string') return FIELDS_MADE_ANEW.has(field) ? `<${field}>` : settle(value);
    if (Array.isArray(value)) return value.map((inner) => walk(inner, field));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner, key)]));
  };
  return JSON.stringify(walk({ request: example.request, response: example.response }));
}
