import type { Span } from './span.ts';

export type CompareOperator = '==' | '!=' | '<' | '>' | '<=' | '>=';
export type ArithmeticOperator = '+' | '-' | '*' | '/';

/**
 * The syntax tree. Parentheses have no node.
 * `and`, `or` and `arithmetic` contain all operands of one run, so that a long run does not become a deep tree.
 */
export type Expression =
  | { readonly kind: 'boolean'; readonly value: boolean; readonly span: Span }
  | { readonly kind: 'integer'; readonly value: bigint; readonly span: Span }
  | Quantity
  | { readonly kind: 'string'; readonly value: string; readonly span: Span }
  | { readonly kind: 'list'; readonly items: readonly Expression[]; readonly span: Span }
  | { readonly kind: 'name'; readonly name: string; readonly span: Span }
  | { readonly kind: 'field'; readonly base: Expression; readonly name: string; readonly nameSpan: Span; readonly span: Span }
  | { readonly kind: 'index'; readonly base: Expression; readonly index: Expression; readonly span: Span }
  | { readonly kind: 'slice'; readonly base: Expression; readonly from: Expression; readonly to: Expression; readonly span: Span }
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly nameSpan: Span;
      readonly args: readonly Expression[];
      readonly span: Span;
    }
  | MethodCall
  | { readonly kind: 'not'; readonly operand: Expression; readonly span: Span }
  | { readonly kind: 'negate'; readonly operand: Expression; readonly span: Span }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Expression[]; readonly span: Span }
  | Arithmetic
  | Comparison
  | { readonly kind: 'in'; readonly item: Expression; readonly list: Expression; readonly span: Span }
  | Let
  /** Text that did not parse. A diagnostic was reported for it. */
  | { readonly kind: 'invalid'; readonly span: Span };

/** `let name = value; …; body`. Only at the root of a tree. */
export interface Let {
  readonly kind: 'let';
  readonly constants: readonly NamedConstant[];
  readonly body: Expression;
  readonly span: Span;
}

export interface NamedConstant {
  readonly name: string;
  readonly nameSpan: Span;
  readonly value: Expression;
}

/** A number with a unit: `1.50 ETH` has the digits 150 and two decimal places. */
export interface Quantity {
  readonly kind: 'quantity';
  readonly digits: bigint;
  readonly places: number;
  readonly unit: string;
  readonly unitSpan: Span;
  readonly span: Span;
}

/** A run of `+` and `-`, or of `*` and `/`, from left to right. There is one operator fewer than operands. */
export interface Arithmetic {
  readonly kind: 'arithmetic';
  readonly operands: readonly Expression[];
  readonly operators: readonly ArithmeticOperator[];
  readonly span: Span;
}

export interface MethodCall {
  readonly kind: 'method';
  readonly base: Expression;
  readonly name: string;
  readonly nameSpan: Span;
  readonly args: readonly Expression[];
  readonly span: Span;
}

export interface Comparison {
  readonly kind: 'compare';
  readonly operator: CompareOperator;
  readonly left: Expression;
  readonly right: Expression;
  readonly span: Span;
}
