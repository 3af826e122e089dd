import type { Diagnostic, DiagnosticCode } from '../diagnostic.ts';
import { defaultLimits, type PolicyLimits } from '../limits.ts';
import { endOfName, isDigit, isWordStart } from './characters.ts';
import { readComment } from './comment.ts';
import { endOfNumber, readNumber } from './number.ts';
import type { Span } from './span.ts';
import { symbols, type Token, type TokenSymbol } from './token.ts';

/** Operators of other languages, the help for each, and the intended token. */
const foreignOperators: readonly (readonly [text: string, help: string, meant?: TokenSymbol])[] = [
  ['===', 'use `==`', '=='],
  ['!==', 'use `!=`', '!='],
  ['<>', 'use `!=`', '!='],
  ['=>', 'did you mean `>=`?', '>='],
  ['=<', 'did you mean `<=`?', '<='],
  ['&', 'did you mean `&&`?', '&&'],
  ['|', 'did you mean `||`?', '||'],
  ['//', 'write a comment as `# …`, up to the end of the line, and a division as `/`'],
  ['/*', 'write a comment as `# …`, up to the end of the line'],
  ['**', 'multiply as often as you need', '*'],
  ['%', 'the language has no remainder; use `/`, which rounds down', '/'],
  ['^', 'multiply as often as you need', '*'],
];

const doubleQuotes = new Set(['"', '`', '“', '”', '‘', '’', '«', '»']);
const closingQuote: Readonly<Record<string, string>> = { '“': '”', '‘': '’', '«': '»' };

/** Tokens of a text, and everything else in it that later stages need. */
export interface Tokens {
  readonly tokens: readonly Token[];
  readonly comments: readonly Span[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The tokens of a text, ending with `end`, its comments and its diagnostics. One pass; never throws. */
export function tokenize(text: string, limits: PolicyLimits): Tokens {
  const tokens: Token[] = [];
  const comments: Span[] = [];
  const diagnostics: Diagnostic[] = [];
  let at = 0;

  /** Reports a mistake and continues with the intended token, or with one that the parser skips. */
  const report = (code: DiagnosticCode, start: number, end: number, message: string, help?: string, meant?: Token) => {
    const span = { start, end };
    if (diagnostics.length < limits.diagnostics)
      diagnostics.push(help === undefined ? { code, span, message } : { code, span, message, help });
    tokens.push(meant ?? { kind: 'invalid', span });
    // SECURITY: stop at the limit of diagnostics, so that a text full of mistakes stays cheap.
    at = diagnostics.length < limits.diagnostics ? end : text.length;
  };

  const string = (start: number) => {
    let value = '';
    let badEscape = -1;
    at = start + 1;
    while (at < text.length && text[at] !== "'" && text[at] !== '\n') {
      if (text[at] === '\\') {
        const escaped = text[at + 1];
        if (escaped !== "'" && escaped !== '\\' && badEscape < 0) badEscape = at;
        value += escaped ?? '';
        at += 2;
      } else {
        value += text[at];
        at += 1;
      }
    }
    if (text[at] !== "'") {
      report('UNTERMINATED_STRING', start, Math.min(at, text.length), 'this string has no closing quote', "close it with `'`");
    } else if (badEscape >= 0) {
      const help = "write `\\\\` for a backslash and `\\'` for a quote";
      report('INVALID_ESCAPE', badEscape, badEscape + 2, 'only a quote and a backslash can be escaped', help);
      at = Math.max(at, skipString(text, start));
    } else {
      at += 1;
      tokens.push({ kind: 'string', value, span: { start, end: at } });
    }
  };

  const number = (start: number) => {
    const end = endOfNumber(text, start);
    const read = readNumber(text.slice(start, end));
    if ('code' in read) {
      report(read.code, start, end, read.message, read.help);
    } else {
      at = end;
      tokens.push({ kind: 'number', ...read, span: { start, end } });
    }
  };

  const comment = (start: number) => {
    const { span, misleading } = readComment(text, start);
    comments.push(span);
    if (misleading !== undefined) {
      const message = 'a comment must not contain characters that hide text or end a line';
      report('UNEXPECTED_CHARACTER', misleading.start, misleading.end, message, 'remove it');
    }
    at = Math.max(at, span.end);
  };

  while (at < text.length) {
    const start = at;
    const character = text[at] as string;
    if (character === '#') {
      comment(start);
    } else if (character === ' ' || character === '\t' || character === '\n' || character === '\r') {
      at += 1;
    } else if (isWordStart(character)) {
      at = endOfName(text, at);
      tokens.push({ kind: 'name', name: text.slice(start, at), span: { start, end: at } });
    } else if (isDigit(character)) {
      number(start);
    } else if (character === "'") {
      string(start);
    } else if (doubleQuotes.has(character)) {
      const close = text.indexOf(closingQuote[character] ?? character, at + 1);
      const end = close < 0 ? at + 1 : close + 1;
      const meant: Token = { kind: 'string', value: text.slice(start + 1, end - 1), span: { start, end } };
      report('WRONG_QUOTES', start, end, 'strings are written in single quotes', "use `'…'`", meant);
    } else {
      const symbol = symbolAt(text, at);
      const foreign = symbol === undefined ? foreignOperators.find(([operator]) => text.startsWith(operator, at)) : undefined;
      if (foreign !== undefined) {
        const [operator, help, intended] = foreign;
        const end = start + operator.length;
        const meant: Token | undefined =
          intended === undefined ? undefined : { kind: 'symbol', symbol: intended, span: { start, end } };
        report('INVALID_OPERATOR', start, end, `\`${operator}\` is not an operator of the language`, help, meant);
      } else if (symbol !== undefined) {
        at += symbol.length;
        tokens.push({ kind: 'symbol', symbol, span: { start, end: at } });
      } else {
        const width = String.fromCodePoint(text.codePointAt(at) ?? 0).length;
        report('UNEXPECTED_CHARACTER', start, start + width, 'this character is not part of the language');
      }
    }
  }
  tokens.push({ kind: 'end', span: { start: text.length, end: text.length } });
  return { tokens, comments, diagnostics };
}

/** The values of the string literals in a text. Those in comments do not count. */
export function stringLiterals(text: string): readonly string[] {
  return tokenize(text, defaultLimits).tokens.flatMap((token) => (token.kind === 'string' ? [token.value] : []));
}

const symbolTable: ReadonlyMap<string, TokenSymbol> = new Map(symbols.map((symbol) => [symbol, symbol]));

/** The symbol at a position. Undefined if a foreign operator starts there. */
function symbolAt(text: string, at: number): TokenSymbol | undefined {
  const two = text.slice(at, at + 2);
  const foreign = ['<>', '=>', '=<', '//', '/*', '**'].includes(two) || ((two === '==' || two === '!=') && text[at + 2] === '=');
  return foreign ? undefined : (symbolTable.get(two) ?? symbolTable.get(text[at] as string));
}

function skipString(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && text[end] !== "'") end += text[end] === '\\' ? 2 : 1;
  return Math.min(end + 1, text.length);
}
