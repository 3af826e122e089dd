import type { Span } from './syntax/span.ts';

/** Every code that the lexer, parser and checker report, with its meaning. Codes are stable; messages may improve. */
export const diagnosticCodes = {
  EMPTY_EXPRESSION: 'There is no expression',
  TEXT_TOO_LONG: 'The text is longer than the limit',
  TOO_DEEP: 'The expression is nested deeper than the limit',
  TOO_COMPLEX: 'The expression has more parts than the limit',
  LIST_TOO_LONG: 'A list literal has more items than the limit',
  UNEXPECTED_CHARACTER: 'A character that the language does not use',
  INVALID_OPERATOR: 'An operator of another language',
  WRONG_QUOTES: 'A string in quotes other than single ones',
  UNTERMINATED_STRING: 'A string without its closing quote',
  INVALID_ESCAPE: 'A backslash before a character that cannot be escaped',
  INVALID_INTEGER: 'A number that is not a plain decimal integer, or a fraction without a unit',
  INTEGER_OUT_OF_RANGE: 'An integer that does not fit into 256 bits, or a computed one above the limit',
  UNKNOWN_UNIT: 'A unit that does not exist',
  AMBIGUOUS_UNIT: 'A unit whose decimals differ between chains',
  TOO_PRECISE: 'An amount with more decimals than its unit has',
  DIVISION_BY_ZERO: 'A division by the literal zero',
  EXPECTED_EXPRESSION: 'An expression is missing',
  EXPECTED_TOKEN: 'A token is missing',
  UNEXPECTED_TOKEN: 'Text after the end of the expression',
  CHAINED_COMPARISON: 'Two comparisons in a row',
  NEWER_LANGUAGE: 'A part that the language version of the policy does not have',
  INVALID_CONSTANT: 'A named constant that is not constant, is not used, or whose name has another meaning',
  INVALID_PRESENCE: '`has` in a place where the absence of a value could allow something',
  UNKNOWN_NAME: 'A name that is neither a namespace nor a variable',
  WRONG_FIELD: 'A name that belongs to another field of the policy',
  INCOMPLETE_PATH: 'A group of namespaces used as a value',
  UNKNOWN_FIELD: 'A field that the type does not have',
  UNKNOWN_METHOD: 'A method that the type does not have',
  UNKNOWN_FUNCTION: 'A function that does not exist',
  WRONG_ARGUMENTS: 'Arguments that the function or method does not take',
  TYPE_MISMATCH: 'Types that do not match',
  NOT_BOOLEAN: 'A bool is needed here',
  EMPTY_LIST: 'A list literal without items',
  INVALID_ADDRESS: 'An address that is not valid on its chain',
  INVALID_ASSET: 'An asset that is not a CAIP-19 name, or whose address is not valid',
  UNKNOWN_LITERAL: 'A literal that the field can never equal',
  INVALID_TIMESTAMP: 'A timestamp that is not RFC 3339 in UTC',
  INVALID_CRON: 'A cron expression without the five fields',
  INVALID_DURATION: 'A duration that is not in days, hours and minutes, or not above zero and at most seven days',
  INVALID_TIME_ZONE: 'A time zone that is not an IANA name',
} as const satisfies Record<string, string>;

export type DiagnosticCode = keyof typeof diagnosticCodes;

/** A problem in an expression: its position, a message, and a fix if known. Diagnostics are returned in lists, never thrown. */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly span: Span;
  readonly message: string;
  /** The suggested fix, if known. */
  readonly help?: string;
}

const LINE_WIDTH = 100;

/**
 * Renders a diagnostic as text: the message, the line with a caret under the span, and the help.
 * Long lines are cut around the span to fit a terminal.
 */
export function renderDiagnostic(source: string, diagnostic: Diagnostic): string {
  const start = Math.min(Math.max(diagnostic.span.start, 0), source.length);
  const lineStart = start === 0 ? 0 : source.lastIndexOf('\n', start - 1) + 1;
  const newline = source.indexOf('\n', start);
  const lineEnd = newline === -1 ? source.length : newline;
  const lineNumber = source.slice(0, lineStart).split('\n').length;
  const cutStart = Math.max(lineStart, start - LINE_WIDTH / 2);
  const cutEnd = Math.min(lineEnd, cutStart + LINE_WIDTH);
  // SECURITY: control characters would move the cursor. Replace each with a space to keep the columns aligned.
  const text = source.slice(cutStart, cutEnd).replace(/[\p{Cc}\p{Cf}]/gu, ' ');
  const end = Math.min(Math.max(diagnostic.span.end, start + 1), cutEnd);
  const lead = cutStart > lineStart ? '…' : '';
  const tail = cutEnd < lineEnd ? '…' : '';
  const gutter = String(lineNumber);
  const blank = ' '.repeat(gutter.length);
  const caret = ' '.repeat(lead.length + start - cutStart) + '^'.repeat(Math.max(1, end - start));
  const lines = [
    `error[${diagnostic.code}]: ${diagnostic.message}`,
    `${blank}--> ${lineNumber}:${start - lineStart + 1}`,
    `${gutter} | ${lead}${text}${tail}`,
    `${blank} | ${caret}`,
  ];
  if (diagnostic.help !== undefined) lines.push(`${blank} = help: ${diagnostic.help}`);
  return lines.join('\n');
}
