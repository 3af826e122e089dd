import fc from 'fast-check';
import { defaultLimits } from '../../src/limits.ts';
import { formatExpression } from '../../src/syntax/format.ts';
import { tokenize } from '../../src/syntax/lexer.ts';
import { parseExpression } from '../../src/syntax/parser.ts';

/** Text that means nothing between two tokens. */
const blanks = fc.constantFrom(' ', '  ', '\t', '\n', '\n\n  ', " # it's a comment with 'quotes' && eth.tx.type\n");

/** Ways to write an expression that mean the same. */
export const arbitrarySpelling: fc.Arbitrary<(text: string) => string> = fc.oneof(
  fc.infiniteStream(blanks).map((stream) => (text: string) => spaced(text, () => stream.next().value as string)),
  fc.constant(formatted),
  fc.infiniteStream(blanks).map((stream) => (text: string) => spaced(formatted(text), () => stream.next().value as string)),
);

/** The tokens of a text with other blanks between them. */
function spaced(text: string, blank: () => string): string {
  const { tokens } = tokenize(text, defaultLimits);
  const parts = tokens.map(({ span }) => text.slice(span.start, span.end)).filter((part) => part !== '');
  return parts.map((part, index) => (index === 0 ? part : `${blank()}${part}`)).join('');
}

function formatted(text: string): string {
  const { expression } = parseExpression(text);
  return expression === undefined ? text : formatExpression(expression);
}
