import { styleText } from 'node:util';
import type { Context, Output } from './context.ts';

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Styles a text if the output shows styles: on a terminal, and only without NO_COLOR (https://no-color.org). */
export type Paint = (style: Style, text: string) => string;

export function paintFor({ environment }: Context, output: Output): Paint {
  const plain = !output.isTerminal || (environment.NO_COLOR ?? '') !== '' || environment.TERM === 'dumb';
  // Decide by this stream, not by the one that styleText would look at.
  return plain ? (_, text) => text : (style, text) => styleText(style, text, { validateStream: false });
}

/**
 * Makes text from a server safe for a terminal. SECURITY: spells out control characters, so a name or a message cannot move the
 * cursor, hide a line or answer on the user's behalf.
 */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, escaped);
}

/**
 * Makes text of several lines safe for a terminal. Every line starts with `indent`.
 * SECURITY: the indent keeps a line from passing for one of the program's own, such as `Fix:`. Format afterwards, never before:
 * this would spell out the codes of colours as well.
 */
export function printableLines(text: string, indent = ''): string {
  return text
    .split(/\r?\n/)
    .map((line) => `${indent}${printable(line)}`)
    .join('\n');
}

/** JSON for a terminal or a pipe. Also escapes characters that JSON leaves alone but a terminal obeys. */
export function jsonText(value: unknown, pretty = false): string {
  return escapeUnsafe(JSON.stringify(value, null, pretty ? 2 : 0));
}

const unsafe = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Whether the text has characters that JSON leaves alone but a terminal obeys. */
export const hasUnsafe = (text: string): boolean => text.search(unsafe) !== -1;

/** Escapes such characters. Only for text in which they all stand within double quotes. */
export const escapeUnsafe = (text: string): string => text.replace(unsafe, escaped);

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
