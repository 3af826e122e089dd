/** Longest literal that is read. A double needs at most 24 characters; a longer literal only costs time. */
const MAX_LITERAL_LENGTH = 64;

const GRAMMAR = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

/** Why a number is refused. */
export interface NumberError {
  readonly reason: string;
}

const TOO_LARGE: NumberError = Object.freeze({ reason: 'this number is too large to be kept exactly; send it as a string' });

/** The number literal (RFC 8259 section 6) that starts at `start`. */
export function numberLiteral(text: string, start: number): string | NumberError {
  GRAMMAR.lastIndex = start;
  const literal = GRAMMAR.exec(text)?.[0];
  if (literal === undefined) return { reason: start < text.length ? 'a value was expected here' : 'the text ends too early' };
  if (isNumberCharacter(text.charCodeAt(start + literal.length)))
    return { reason: 'this number is not written as JSON wants it' };
  if (literal.length > MAX_LITERAL_LENGTH) return { reason: `a number may have at most ${MAX_LITERAL_LENGTH} characters` };
  return literal;
}

/**
 * The value of a literal as a double, only if nothing is lost: an integer from -(2^53 - 1) to 2^53 - 1, or a fraction whose decimal
 * value is the one the double prints as. Refuses negative zero, which compares equal to zero but is not the same value everywhere.
 */
export function exactDouble(literal: string): number | NumberError {
  const value = Number(literal);
  if (Object.is(value, -0)) return { reason: 'negative zero is not accepted' };
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return TOO_LARGE;
  if (decimal(literal) !== decimal(String(value)))
    return { reason: 'this number has more digits than can be kept exactly; send it as a string' };
  return value;
}

/**
 * The value of a literal as a bigint, only if the literal is digits with at most a minus sign, from -(2^53 - 1) to 2^53 - 1.
 * SECURITY: a bigint could hold more, but most programs round there. A person and the signature could then see two values.
 */
export function exactInteger(literal: string): bigint | NumberError {
  if (!/^-?[0-9]+$/.test(literal)) return { reason: 'this number is not a plain integer' };
  // Number() is used only to compare: values that it rounds are far outside the accepted range.
  return Number.isSafeInteger(Number(literal)) ? BigInt(literal) : TOO_LARGE;
}

/** The value of a literal: a bigint for an integer beyond 2^53 - 1, else the nearest double. Refuses what a double cannot hold at all. */
export function wideNumber(literal: string): number | bigint | NumberError {
  const value = Number(literal);
  if (/^-?[0-9]+$/.test(literal)) return Number.isSafeInteger(value) ? value : BigInt(literal);
  return Number.isFinite(value) ? value : TOO_LARGE;
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
