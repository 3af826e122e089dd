import { endOfName, isDigit } from '../syntax/characters.ts';
import { endOfNumber } from '../syntax/number.ts';

/** A text without the content of its literals. */
export interface Skeleton {
  /**
   * The text with the length of each literal in place of its content.
   * INVARIANT: texts with the same key have the same tokens at the same places, except for what their literals hold.
   */
  readonly key: string;
  /** Where the content of each literal begins and ends: two numbers for each. */
  readonly bounds: readonly number[];
}

const QUOTE = 0x27;
const ZERO = 0x30;
const NINE = 0x39;

/** Every integer of so many digits fits into 256 bits. */
const MOST_DIGITS = 77;

/**
 * Takes the literals out of a text: strings without escapes, and plain decimal integers. Other numbers stay in the key.
 * Undefined for a text that holds an escape, and for one that the lexer would refuse for its strings.
 * No text of another kind gives the same key: every quote and every plain integer of a text is taken out, so that those in a key are
 * marks.
 */
export function skeletonOf(text: string): Skeleton | undefined {
  if (text.includes('\\')) return undefined;
  const hasLines = text.includes('\n');
  const bounds: number[] = [];
  let key = '';
  let copied = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = text.indexOf("'", at + 1);
      if (end < 0 || (hasLines && text.slice(at, end).includes('\n'))) return undefined;
      bounds.push(at + 1, end);
      key += `${text.slice(copied, at)}'${end - at - 1}'`;
      at = end + 1;
      copied = at;
    } else if (code >= ZERO && code <= NINE) {
      const end = endOfNumber(text, at);
      if (isPlainInteger(text, at, end)) {
        bounds.push(at, end);
        key += `${text.slice(copied, at)}#${end - at}#`;
        copied = end;
      }
      at = end;
    } else at = Math.max(at + 1, endOfName(text, at));
  }
  return { key: key + text.slice(copied), bounds };
}

/** The content of a literal, by its place among the literals of the text. */
export function literalAt(text: string, bounds: readonly number[], place: number): string {
  return text.slice(bounds[2 * place], bounds[2 * place + 1]);
}

/** Digits alone, in the one way that the language takes them. */
function isPlainInteger(text: string, start: number, end: number): boolean {
  if (end - start > MOST_DIGITS || (text[start] === '0' && end - start > 1)) return false;
  for (let at = start; at < end; at += 1) if (!isDigit(text[at])) return false;
  return true;
}
