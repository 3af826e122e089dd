import type { Diagnostic } from '../diagnostic.ts';
import { defaultLimits, type PolicyLimits } from '../limits.ts';
import type { ArithmeticOperator, CompareOperator, Expression, NamedConstant } from './ast.ts';
import { tokenize } from './lexer.ts';
import { MIN_LITERAL } from './number.ts';
import { joinSpans, type Span } from './span.ts';
import type { Token, TokenSymbol } from './token.ts';
import { TokenCursor, wordOperators } from './token-cursor.ts';

/** The result of parsing. The tree is absent if there is any diagnostic. */
export interface ParseResult {
  readonly expression: Expression | undefined;
  /** The tree with `invalid` nodes in the parts that did not parse, for tools that continue, such as the checker. */
  readonly recovered: Expression;
  readonly diagnostics: readonly Diagnostic[];
  /** Parts that only the current language version has. */
  readonly additions: readonly Addition[];
}

/** A part of a text that earlier versions of the language do not have. */
export interface Addition {
  readonly what: string;
  readonly span: Span;
}

/** The most named constants of one expression. */
const MAX_CONSTANTS = 32;

const comparisons: ReadonlySet<string> = new Set<CompareOperator>(['==', '!=', '<', '>', '<=', '>=']);
/** Parses one expression in linear time. Recursion is bounded by `limits.depth`. Never throws. */
export function parseExpression(text: string, limits: PolicyLimits = defaultLimits): ParseResult {
  const whole = { start: 0, end: text.length };
  const invalid: Expression = { kind: 'invalid', span: whole };
  if (text.length > limits.textLength) {
    const message = `the text has ${text.length} characters; the limit is ${limits.textLength}`;
    const span = { start: limits.textLength, end: text.length };
    const diagnostics: Diagnostic[] = [{ code: 'TEXT_TOO_LONG', span, message }];
    return { expression: undefined, recovered: invalid, diagnostics, additions: [] };
  }
  const { tokens, comments, diagnostics } = tokenize(text, limits);
  if (tokens.length === 1) {
    const help = 'leave the field out, or write `true`';
    const empty: Diagnostic = { code: 'EMPTY_EXPRESSION', span: whole, message: 'the expression is empty', help };
    return { expression: undefined, recovered: invalid, diagnostics: [...diagnostics, empty], additions: [] };
  }
  const parser = new Parser(tokens, diagnostics, limits);
  const recovered = parser.whole();
  const additions = [...comments.map((span) => ({ what: 'a comment', span })), ...parser.additions];
  return {
    expression: parser.diagnostics.length === 0 ? recovered : undefined,
    recovered,
    diagnostics: parser.diagnostics,
    additions,
  };
}

class Parser extends TokenCursor {
  private depth = 0;
  private nodes = 0;
  readonly additions: Addition[] = [];

  whole(): Expression {
    const start = this.peek().span;
    const constants = this.constants();
    const body = this.or();
    const token = this.peek();
    if (token.kind !== 'end')
      this.report(
        'UNEXPECTED_TOKEN',
        token.span,
        'unexpected text after the end of the expression',
        afterEnd(this.peekBefore(), token, this.peekAfter()),
      );
    return constants.length === 0 ? body : { kind: 'let', constants, body, span: joinSpans(start, body.span) };
  }

  /** `let name = value;`, any number of times. No other expression starts with two names. */
  private constants(): readonly NamedConstant[] {
    const constants: NamedConstant[] = [];
    for (;;) {
      const [word, name] = [this.peek(), this.peekAfter()];
      if (word.kind !== 'name' || word.name !== 'let' || name?.kind !== 'name') return constants;
      this.at += 2;
      this.additions.push({ what: '`let`', span: joinSpans(word.span, name.span) });
      this.expect('=', 'and the value of the constant');
      constants.push({ name: name.name, nameSpan: name.span, value: this.sum() });
      this.expect(';', 'after the constant');
      if (constants.length > MAX_CONSTANTS) {
        this.report('TOO_COMPLEX', name.span, `an expression has at most ${MAX_CONSTANTS} named constants`);
        this.stop();
      }
    }
  }

  private or(): Expression {
    return this.run('or', '||', () => this.run('and', '&&', () => this.comparison()));
  }

  private run(kind: 'and' | 'or', symbol: TokenSymbol, operand: () => Expression): Expression {
    const first = operand();
    const operands = [first];
    while (this.take(symbol) || this.takeWord(symbol)) operands.push(operand());
    if (operands.length === 1) return first;
    return this.node({ kind, operands, span: joinSpans(first.span, (operands.at(-1) as Expression).span) });
  }

  private comparison(): Expression {
    let left = this.sum();
    let compared = false;
    for (;;) {
      const token = this.peek();
      const operator = this.comparisonAt(token);
      const excluded = this.isNotIn(token);
      if (operator === undefined && !excluded && !(token.kind === 'name' && token.name === 'in')) return left;
      this.at += excluded ? 2 : 1;
      const right = this.sum();
      if (compared) {
        this.report('CHAINED_COMPARISON', token.span, 'comparisons cannot be chained', 'join them with `&&`, or use parentheses');
        left = { kind: 'invalid', span: joinSpans(left.span, right.span) };
        continue;
      }
      compared = true;
      const span = joinSpans(left.span, right.span);
      left = this.node(
        operator === undefined ? { kind: 'in', item: left, list: right, span } : { kind: 'compare', operator, left, right, span },
      );
      if (excluded) left = this.node({ kind: 'not', operand: left, span });
    }
  }

  private comparisonAt(token: Token): CompareOperator | undefined {
    if (token.kind !== 'symbol') return undefined;
    if (token.symbol !== '=') return comparisons.has(token.symbol) ? (token.symbol as CompareOperator) : undefined;
    this.report('INVALID_OPERATOR', token.span, '`=` is not an operator of the language', 'did you mean `==`?');
    return '==';
  }

  private isNotIn(token: Token): boolean {
    const next = this.peekAfter();
    if (token.kind !== 'name' || token.name !== 'not' || next?.kind !== 'name' || next.name !== 'in') return false;
    this.additions.push({ what: '`not in`', span: joinSpans(token.span, next.span) });
    return true;
  }

  private sum(): Expression {
    return this.computed(['+', '-'], () => this.computed(['*', '/'], () => this.unary()));
  }

  private computed(symbols: readonly ArithmeticOperator[], operand: () => Expression): Expression {
    const first = operand();
    const operands = [first];
    const operators: ArithmeticOperator[] = [];
    for (;;) {
      const operator = symbols.find((symbol) => this.take(symbol));
      if (operator === undefined) break;
      operators.push(operator);
      operands.push(operand());
    }
    if (operators.length === 0) return first;
    const span = joinSpans(first.span, (operands.at(-1) as Expression).span);
    return this.node({ kind: 'arithmetic', operands, operators, span });
  }

  private unary(): Expression {
    const start = this.peek().span;
    if (this.take('-')) return this.negative(start) ?? this.negation(start);
    if (!this.take('!') && !this.takeWord('!')) return this.postfix();
    return this.nested<Expression>(start, { kind: 'invalid', span: start }, () => {
      const operand = this.unary();
      return this.node({ kind: 'not', operand, span: joinSpans(start, operand.span) });
    });
  }

  /** The number after a minus sign, unless a unit or a postfix step follows it. */
  private negative(start: Span): Expression | undefined {
    const token = this.peek();
    const next = this.peekAfter();
    const bare = token.kind === 'number' && token.places === 0 && !isUnit(next);
    if (!bare || (next?.kind === 'symbol' && (next.symbol === '.' || next.symbol === '['))) return undefined;
    const span = joinSpans(start, token.span);
    this.at += 1;
    if (-token.digits >= MIN_LITERAL) return this.node({ kind: 'integer', value: -token.digits, span });
    this.report('INTEGER_OUT_OF_RANGE', span, 'this integer does not fit into 256 bits');
    return this.node({ kind: 'invalid', span });
  }

  private negation(start: Span): Expression {
    return this.nested<Expression>(start, { kind: 'invalid', span: start }, () => {
      const operand = this.unary();
      return this.node({ kind: 'negate', operand, span: joinSpans(start, operand.span) });
    });
  }

  private number({ digits, places, span }: Token & { kind: 'number' }): Expression {
    this.at += 1;
    const unit = this.peek();
    const after = this.peekAfter();
    if (unit.kind === 'name' && unit.name === 'of' && places === 0 && after?.kind === 'number') {
      this.at += 2;
      const help = `count approvals: \`approvers.filter(user, user.id in ['…', '…']).count() >= ${digits}\``;
      this.report('INVALID_OPERATOR', joinSpans(span, after.span), '`of` is not an operator of the language', help);
      return this.node({ kind: 'invalid', span });
    }
    if (isUnit(unit)) {
      this.at += 1;
      const whole = joinSpans(span, unit.span);
      return this.node({ kind: 'quantity', digits, places, unit: unit.name, unitSpan: unit.span, span: whole });
    }
    if (places === 0) return this.node({ kind: 'integer', value: digits, span });
    const grouped =
      places === 3
        ? `; if the point separates thousands, write ${digits / 1000n}_${String(digits % 1000n).padStart(3, '0')}`
        : '';
    const help = `a fraction needs a unit, for example \`1.5 ETH\`${grouped}`;
    this.report('INVALID_INTEGER', span, 'this is not a decimal integer', help);
    return this.node({ kind: 'invalid', span });
  }

  private postfix(): Expression {
    let base = this.primary();
    const outer = this.depth;
    // INVARIANT: each step makes the tree one level deeper, so it counts towards the depth until the chain ends.
    for (;;) {
      if (!this.isSymbol('.') && !this.isSymbol('[')) break;
      this.depth += 1;
      if (this.depth > this.limits.depth) {
        this.tooDeep(this.peek().span);
        break;
      }
      base = this.take('.') ? this.member(base) : this.subscript(base);
    }
    this.depth = outer;
    return base;
  }

  private member(base: Expression): Expression {
    const token = this.peek();
    if (token.kind !== 'name') {
      this.report('EXPECTED_TOKEN', token.span, 'expected a field or method name after `.`');
      return this.node({ kind: 'invalid', span: base.span });
    }
    this.at += 1;
    if (!this.take('(')) {
      return this.node({ kind: 'field', base, name: token.name, nameSpan: token.span, span: joinSpans(base.span, token.span) });
    }
    const { args, end } = this.arguments();
    return this.node({ kind: 'method', base, name: token.name, nameSpan: token.span, args, span: joinSpans(base.span, end) });
  }

  private subscript(base: Expression): Expression {
    this.at += 1;
    const from = this.or();
    if (!this.take('..')) {
      const end = this.expect(']', 'to close the index');
      return this.node({ kind: 'index', base, index: from, span: joinSpans(base.span, end) });
    }
    const to = this.or();
    const end = this.expect(']', 'to close the slice');
    return this.node({ kind: 'slice', base, from, to, span: joinSpans(base.span, end) });
  }

  private primary(): Expression {
    const token = this.peek();
    if (token.kind === 'number') return this.number(token);
    if (token.kind === 'string') {
      this.at += 1;
      return this.node({ kind: 'string', value: token.value, span: token.span });
    }
    if (token.kind === 'invalid') {
      this.at += 1;
      return this.node({ kind: 'invalid', span: token.span });
    }
    if (token.kind === 'name' && token.name !== 'in') return this.name(token.name, token.span);
    if (this.take('(')) {
      return this.nested<Expression>(token.span, { kind: 'invalid', span: token.span }, () => {
        const inner = this.or();
        if (this.isSymbol(','))
          this.report('EXPECTED_TOKEN', this.peek().span, 'a list is written in brackets', 'write `[a, b]`');
        this.expect(')', 'to close the parenthesis');
        return inner;
      });
    }
    if (this.take('[')) return this.nested(token.span, { kind: 'invalid', span: token.span }, () => this.list(token.span));
    const what = token.kind === 'end' ? 'expected an expression, but the text ends here' : 'expected an expression here';
    this.report('EXPECTED_EXPRESSION', token.span, what);
    this.recover();
    return this.node({ kind: 'invalid', span: token.span });
  }

  private name(name: string, span: Span): Expression {
    this.at += 1;
    if (name === 'true' || name === 'false') return this.node({ kind: 'boolean', value: name === 'true', span });
    if (!this.take('(')) return this.node({ kind: 'name', name, span });
    const { args, end } = this.arguments();
    return this.node({ kind: 'call', name, nameSpan: span, args, span: joinSpans(span, end) });
  }

  private list(start: Span): Expression {
    const items = this.items(']');
    const end = this.expect(']', 'to close the list');
    const span = joinSpans(start, end);
    if (items.length > this.limits.listItems) {
      this.report('LIST_TOO_LONG', span, `the list has ${items.length} items; the limit is ${this.limits.listItems}`);
    }
    return this.node({ kind: 'list', items, span });
  }

  private arguments(): { args: readonly Expression[]; end: Span } {
    const args = this.nested(this.peek().span, [], () => this.items(')'));
    return { args, end: this.expect(')', 'to close the arguments') };
  }

  private items(close: TokenSymbol): readonly Expression[] {
    const items: Expression[] = [];
    if (this.isSymbol(close)) return items;
    do {
      items.push(this.or());
    } while (this.take(','));
    return items;
  }

  private nested<T>(span: Span, otherwise: T, parse: () => T): T {
    this.depth += 1;
    if (this.depth > this.limits.depth) {
      this.tooDeep(span);
      this.depth -= 1;
      return otherwise;
    }
    const result = parse();
    this.depth -= 1;
    return result;
  }

  private tooDeep(span: Span): void {
    this.report('TOO_DEEP', span, `the expression is nested deeper than ${this.limits.depth} levels`);
    this.stop();
  }

  private node(expression: Expression): Expression {
    this.nodes += 1;
    if (this.nodes === this.limits.nodes + 1) {
      this.report('TOO_COMPLEX', expression.span, `the expression has more than ${this.limits.nodes} parts`);
      this.stop();
    }
    return expression;
  }
}

/** Help for the token after the end of an expression. */
function afterEnd(before: Token | undefined, token: Token, next: Token | undefined): string | undefined {
  if (token.kind === 'name') {
    const word = token.name.toLowerCase();
    if (word === 'not' || word === 'not_in' || word === 'notin') return 'write `a not in b`';
    if (foreignWords[word] !== undefined) return foreignWords[word];
  }
  if (token.kind === 'string' || token.kind === 'name' || token.kind === 'number')
    return 'join two conditions with `&&` or `||`, and compare with `==`';
  if (token.kind !== 'symbol') return undefined;
  if (token.symbol === ';') return 'only `let name = value;` ends with `;`';
  if (token.symbol === '!' && next?.kind === 'name' && next.name === 'in') return 'write `a not in b`';
  if (token.symbol === ',' && before?.kind === 'number')
    return next?.kind === 'number' ? `write ${before.digits}_${next.digits}, without a comma` : 'write 1_000, without a comma';
  if (token.symbol === ')' || token.symbol === ']') return `remove it, or open it with \`${token.symbol === ')' ? '(' : '['}\``;
  return undefined;
}

/** Operators that are words elsewhere, and how to write them. */
const foreignWords: Readonly<Record<string, string>> = {
  is: 'write `==`',
  equals: 'write `==`',
  eq: 'write `==`',
  like: "write `text.startsWith('…')`",
  contains: "write `list.contains('…')`",
  includes: "write `list.contains('…')`",
  matches: "write `text.startsWith('…')`; there are no patterns",
  between: 'write `a >= 1 && a <= 5`',
  of: 'count approvals: `approvers.count() >= 2`',
  xor: 'write `a != b`',
};

/** Whether the token after a number is its unit. */
function isUnit(token: Token | undefined): token is Token & { kind: 'name' } {
  return token?.kind === 'name' && token.name !== 'in' && !wordOperators.has(token.name);
}
