import type { Span } from './span.ts';

/** Punctuation and operators. A symbol precedes its prefixes. */
export const symbols = [
  '&&',
  '||',
  '==',
  '!=',
  '<=',
  '>=',
  '..',
  '<',
  '>',
  '!',
  '=',
  ';',
  '+',
  '-',
  '*',
  '/',
  '(',
  ')',
  '[',
  ']',
  ',',
  '.',
] as const;

export type TokenSymbol = (typeof symbols)[number];

/** One token. The lexer has already reported an `invalid` one, so the parser does not. */
export type Token =
  | { readonly kind: 'symbol'; readonly symbol: TokenSymbol; readonly span: Span }
  | { readonly kind: 'name'; readonly name: string; readonly span: Span }
  /** A number as written: `1.50` has the digits 150 and two decimal places. */
  | { readonly kind: 'number'; readonly digits: bigint; readonly places: number; readonly span: Span }
  | { readonly kind: 'string'; readonly value: string; readonly span: Span }
  | { readonly kind: 'invalid'; readonly span: Span }
  | { readonly kind: 'end'; readonly span: Span };
