import { styleText } from 'node:util';
import type { Context, Output } from './context.ts';

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** A text in a style, if this output shows styles at all: on a terminal, and not where NO_COLOR is set (https://no-color.org). */
export type Paint = (style: Style, text: string) => string;

export function paintFor({ environment }: Context, output: Output): Paint {
  const plain = !output.isTerminal || (environment.NO_COLOR ?? '') !== '' || environment.TERM === 'dumb';
  // The stream decides here, not the one that styleText would look at.
  return plain ? (_, text) => text : (style, text) => styleText(style, text, { validateStream: false });
}

/**
 * SECURITY: text from a server as it may be written to a terminal. Control characters are spelled out, so that a name or a
 * message cannot move the cursor, hide a line or answer on the user's behalf.
 */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, escaped);
}

/** JSON for a terminal or a pipe: the same value, with what JSON leaves unescaped but a terminal obeys escaped too. */
export function jsonText(value: unknown, pretty = false): string {
  return JSON.stringify(value, null, pretty ? 2 : 0).replace(/[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, escaped);
}

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
