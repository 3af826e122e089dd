import { defaultLimits } from '../limits.ts';
import { formatString } from '../syntax/format.ts';
import { tokenize } from '../syntax/lexer.ts';
import type { Span } from '../syntax/span.ts';
import type { Token } from '../syntax/token.ts';
import { tag } from './functions.ts';

/** A call `tag('…')`: its argument, and the span of the argument with its quotes. */
export interface TagCall {
  readonly value: string;
  readonly span: Span;
}

/** The calls of `tag` in a text, in its order. Those in comments and in texts do not count. */
export function tagCalls(text: string): readonly TagCall[] {
  const { tokens } = tokenize(text, defaultLimits);
  const isSymbol = (token: Token | undefined, symbol: string) => token?.kind === 'symbol' && token.symbol === symbol;
  return tokens.flatMap((token, at): readonly TagCall[] => {
    const [open, argument, close] = [tokens[at + 1], tokens[at + 2], tokens[at + 3]];
    const isCall = token.kind === 'name' && token.name === tag.name && !isSymbol(tokens[at - 1], '.');
    if (!isCall || !isSymbol(open, '(') || argument?.kind !== 'string' || !isSymbol(close, ')')) return [];
    return [{ value: argument.value, span: argument.span }];
  });
}

/** The text with other arguments of `tag`. Undefined keeps an argument. */
export function replaceTags(text: string, replace: (value: string) => string | undefined): string {
  let result = '';
  let at = 0;
  for (const { value, span } of tagCalls(text)) {
    result += text.slice(at, span.start) + formatString(replace(value) ?? value);
    at = span.end;
  }
  return result + text.slice(at);
}
