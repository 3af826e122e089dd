import { styleText } from 'node:util';
import type { Context, Output } from './context.ts';

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Styles a text on a terminal, unless NO_COLOR is set (https://no-color.org). */
export type Paint = (style: Style, text: string) => string;

export function paintFor({ environment }: Context, output: Output): Paint {
  const plain = !output.isTerminal || (environment.NO_COLOR ?? '') !== '' || environment.TERM === 'dumb';
  // Check this stream, not the one that styleText checks.
  return plain ? (_, text) => text : (style, text) => styleText(style, text, { validateStream: false });
}

/**
 * Makes text from a server safe for a terminal. SECURITY: escapes control characters, so that a name or a message cannot move the
 * cursor, hide a line or send input.
 */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters on purpose
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, escaped);
}

/**
 * Makes multi-line text safe for a terminal. Every line starts with `indent`.
 * SECURITY: the indent distinguishes the lines from the program's own, such as `Fix:`. Apply colours afterwards: this function would
 * escape their codes.
 */
export function printableLines(text: string, indent = ''): string {
  return text
    .split(/\r?\n/)
    .map((line) => `${indent}${printable(line)}`)
    .join('\n');
}

/** JSON for a terminal or a pipe. Also escapes terminal control characters that JSON allows. */
export function jsonText(value: unknown, pretty = false): string {
  return escapeUnsafe(JSON.stringify(value, null, pretty ? 2 : 0));
}

const unsafe = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Whether the text contains terminal control characters that JSON allows. */
export const hasUnsafe = (text: string): boolean => text.search(unsafe) !== -1;

/** Escapes these characters. All of them must be inside double quotes. */
export const escapeUnsafe = (text: string): string => text.replace(unsafe, escaped);

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
