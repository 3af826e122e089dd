import { isDigit, isWord } from './characters.ts';

/** The range of literals: up to the largest uint256, and down to the smallest int256. */
export const MAX_LITERAL = 2n ** 256n - 1n;
export const MIN_LITERAL = -(2n ** 255n);

/** Longer texts cannot fit into 256 bits, even with a fraction and separators. */
const MAX_LENGTH = 160;

/** A number as written: `1.50` has the digits 150 and two decimal places. Or a problem in it. */
export type NumberText =
  | { readonly digits: bigint; readonly places: number }
  | { readonly code: 'INVALID_INTEGER' | 'INTEGER_OUT_OF_RANGE'; readonly message: string; readonly help?: string };

/** The end of the word that starts with a digit, including invalid characters. */
export function endOfNumber(text: string, start: number): number {
  let end = start;
  while (isWord(text[end]) || (text[end] === '.' && isDigit(text[end + 1]))) end += 1;
  return end;
}

/** Parses a decimal number: digits with optional separators (`25_000`), and a fraction, which is valid only with a unit. */
export function readNumber(word: string): NumberText {
  const tooLarge = { code: 'INTEGER_OUT_OF_RANGE', message: 'this integer does not fit into 256 bits' } as const;
  const parts = /^([0-9]+(?:_[0-9]+)*)(?:\.([0-9]+))?$/.exec(word);
  if (parts === null) {
    const quoted = quotedHelp(word);
    if (quoted !== undefined) return { code: 'INVALID_INTEGER', message: 'a text is written in single quotes', help: quoted };
    return { code: 'INVALID_INTEGER', message: 'this is not a decimal integer', help: numberHelp(word) };
  }
  const whole = (parts[1] as string).replaceAll('_', '');
  const fraction = parts[2] ?? '';
  if (/^0[0-9]/.test(whole)) {
    const grouped = /^[0-9]{3}$/.test(word) ? ', and a number such as one thousand as 1_000, without a comma' : '';
    const help = `write ${word.replace(/^[0_]+(?=[0-9])/, '')}${grouped}`;
    return { code: 'INVALID_INTEGER', message: 'an integer has no leading zeros', help };
  }
  if (word.length > MAX_LENGTH || BigInt(whole) > MAX_LITERAL) return tooLarge;
  return { digits: BigInt(whole + fraction), places: fraction.length };
}

/** Help for an address, a hash or a key without its quotes. */
function quotedHelp(word: string): string | undefined {
  if (/^0[xX][0-9a-fA-F]{33,}$/.test(word) || (/^[1-9A-HJ-NP-Za-km-z]{25,64}$/.test(word) && /[A-Za-z]/.test(word)))
    return `write '${word.length > 80 ? `${word.slice(0, 80)}…` : word}'`;
  return undefined;
}

function numberHelp(word: string): string {
  if (/^0[xX][0-9a-fA-F]{1,32}$/.test(word)) return `write '${word}' for bytes, or ${BigInt(word)} for a number`;
  const power = /^([0-9]{1,3})[eE]([0-9]{1,2})$/.exec(word);
  if (power !== null && Number(power[2]) <= 77)
    return `write all digits: ${BigInt(power[1] as string) * 10n ** BigInt(power[2] as string)}`;
  if (/^[0-9_]+$/.test(word)) return 'one underscore may stand between two digits';
  const unit = /^[0-9_.]*[0-9]([a-zA-Z]{2,10})$/.exec(word);
  if (unit !== null) return `put a space before the unit: \`${word.slice(0, -(unit[1] as string).length)} ${unit[1]}\``;
  if (/^[0-9a-fA-F]{8}$/.test(word)) return 'write a decimal integer, or an id in single quotes';
  return 'write a decimal integer without exponent';
}
