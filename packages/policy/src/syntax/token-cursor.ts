import type { Diagnostic, DiagnosticCode } from '../diagnostic.ts';
import type { PolicyLimits } from '../limits.ts';
import type { Span } from './span.ts';
import type { Token, TokenSymbol } from './token.ts';

/** Words that are operators in other languages. */
export const wordOperators: ReadonlyMap<string, TokenSymbol> = new Map([
  ['and', '&&'],
  ['AND', '&&'],
  ['or', '||'],
  ['OR', '||'],
  ['not', '!'],
  ['NOT', '!'],
]);

/** A position in a list of tokens, and the diagnostics so far. */
export class TokenCursor {
  readonly diagnostics: Diagnostic[];
  protected readonly limits: PolicyLimits;
  protected at = 0;
  private readonly tokens: readonly Token[];

  constructor(tokens: readonly Token[], diagnostics: readonly Diagnostic[], limits: PolicyLimits) {
    this.tokens = tokens;
    this.diagnostics = [...diagnostics];
    this.limits = limits;
  }

  /** Skips to the end: diagnostics after an exceeded limit are not useful. */
  protected stop(): void {
    this.at = this.tokens.length - 1;
  }

  /** Skips to the next operand, argument or closing bracket, so that later mistakes are found too. */
  protected recover(): void {
    for (;;) {
      const token = this.peek();
      if (token.kind === 'end') return;
      if (token.kind === 'symbol' && ['&&', '||', ',', ')', ']'].includes(token.symbol)) return;
      this.at += 1;
    }
  }

  protected expect(symbol: TokenSymbol, purpose: string): Span {
    const token = this.peek();
    if (this.take(symbol)) return token.span;
    // After an exceeded limit the parser is at the end, and every bracket would seem unclosed.
    if (!this.stopped() && !this.spoiled(token)) this.report('EXPECTED_TOKEN', token.span, `expected \`${symbol}\` ${purpose}`);
    return { start: token.span.start, end: token.span.start };
  }

  private stopped(): boolean {
    return this.diagnostics.some(({ code }) => code === 'TOO_DEEP' || code === 'TOO_COMPLEX');
  }

  /** Whether the token was already reported. A second diagnostic would repeat the first. */
  private spoiled(token: Token): boolean {
    return (
      token.kind === 'invalid' ||
      this.diagnostics.some(({ span }) => span.start === token.span.start && span.end === token.span.end)
    );
  }

  protected report(code: DiagnosticCode, span: Span, message: string, help?: string): void {
    const token = this.peek();
    if (this.diagnostics.length >= this.limits.diagnostics) return;
    if ((code === 'UNEXPECTED_TOKEN' || code === 'EXPECTED_EXPRESSION') && this.spoiled(token)) return;
    this.diagnostics.push(help === undefined ? { code, span, message } : { code, span, message, help });
  }

  protected peek(): Token {
    return this.tokens[this.at] as Token;
  }

  protected peekBefore(): Token | undefined {
    return this.tokens[this.at - 1];
  }

  protected peekAfter(): Token | undefined {
    return this.tokens[this.at + 1];
  }

  protected isSymbol(symbol: TokenSymbol): boolean {
    const token = this.peek();
    return token.kind === 'symbol' && token.symbol === symbol;
  }

  /** Consumes a word that is an operator in other languages, and reports the operator to use. */
  protected takeWord(symbol: TokenSymbol): boolean {
    const token = this.peek();
    const next = this.tokens[this.at + 1];
    if (token.kind !== 'name' || wordOperators.get(token.name) !== symbol) return false;
    // `not` may also be a variable, if a dot, a comparison or a closing bracket follows.
    if (symbol === '!' && next?.kind !== 'name' && !(next?.kind === 'symbol' && next.symbol === '(')) return false;
    this.report('INVALID_OPERATOR', token.span, `\`${token.name}\` is not an operator of the language`, `use \`${symbol}\``);
    this.at += 1;
    return true;
  }

  protected take(symbol: TokenSymbol): boolean {
    if (!this.isSymbol(symbol)) return false;
    this.at += 1;
    return true;
  }
}
