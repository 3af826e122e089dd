/** Longest literal that is looked at. A double needs at most 24 characters; more are an attempt to waste time. */
const MAX_LITERAL_LENGTH = 64;

const GRAMMAR = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

/** A number literal, and where it ends; or why it cannot be taken. */
export type JsonNumber = { readonly value: number; readonly end: number } | { readonly fault: string };

/**
 * Reads the JSON number (RFC 8259 section 6) that starts at `start`.
 * Takes it only if nothing is lost: an integer within 2^53 - 1 either way, or a fraction whose decimal value is the one the number
 * prints as. Refuses negative zero, which compares equal to zero but is not the same value everywhere.
 */
export function readJsonNumber(text: string, start: number): JsonNumber {
  GRAMMAR.lastIndex = start;
  const literal = GRAMMAR.exec(text)?.[0];
  if (literal === undefined) return { fault: 'a value was expected here' };
  const end = start + literal.length;
  if (isNumberCharacter(text.charCodeAt(end))) return { fault: 'this number is not written as JSON wants it' };
  if (literal.length > MAX_LITERAL_LENGTH) return { fault: `a number may have at most ${MAX_LITERAL_LENGTH} characters` };

  const value = Number(literal);
  if (Object.is(value, -0)) return { fault: 'negative zero is not accepted' };
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER)
    return { fault: 'this number is too large to be kept exactly; send it as a string' };
  if (decimal(literal) !== decimal(String(value)))
    return { fault: 'this number has more digits than can be kept exactly; send it as a string' };
  return { value, end };
}

/** Digits, signs, the point and the exponent mark: what would continue a number that the grammar had to cut short, as in `01` or `1.`. */
function isNumberCharacter(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2b || code === 0x2d || code === 0x2e || code === 0x45 || code === 0x65;
}

/** The magnitude of a literal in one form: digits without outer zeros, power of ten. Equal text means equal decimal value. */
function decimal(literal: string): string {
  const [mantissa = '', exponent = '0'] = literal.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${significant}e${Number(exponent) - fraction.length + (digits.length - significant.length)}`;
}
