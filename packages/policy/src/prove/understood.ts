import { type OrderNode, partsOf, type Quantifier, type Typed } from '../check/typed.ts';
import type { CompiledExpression } from '../expression.ts';
import type { CompiledPolicy } from '../policy.ts';
import type { ArithmeticOperator } from '../syntax/ast.ts';

/** An expression contains something that proofs do not know. `part` is its source text. */
export class NotUnderstoodError extends Error {
  override readonly name = 'NotUnderstoodError';
  readonly part: string;

  constructor(part: string) {
    super(`a proof does not know \`${part}\``);
    this.part = part;
  }
}

/** Every member of a type. A new member does not compile here until someone has looked at what it means for proofs. */
type Members<T> = Readonly<Record<keyof T, true>>;
type Own<T> = Readonly<Record<Exclude<keyof T, 'kind' | 'span' | 'type'>, true>>;
type NodeOf<K extends Typed['kind']> = Extract<Typed, { readonly kind: K }>;

const logical = { operands: true } as const;

/** The members of each kind of node that the encoding reads, or that do not change its value. */
const nodes: { readonly [K in Typed['kind']]: Own<NodeOf<K>> } = {
  constant: { value: true, unit: true, ids: true },
  read: { namespace: true, path: true, beside: true },
  variable: { slot: true, name: true },
  field: { base: true, name: true },
  index: { base: true, index: true },
  slice: { base: true, from: true, to: true },
  list: { items: true },
  not: { operand: true },
  and: logical,
  or: logical,
  oneOf: { operand: true, values: true, integers: true, negated: true },
  equal: { left: true, right: true, negated: true },
  order: { operator: true, left: true, right: true },
  hasOneOf: { list: true, values: true, integers: true },
  member: { item: true, list: true },
  arithmetic: { operands: true, operators: true },
  each: { quantifier: true, list: true, slot: true, variable: true, body: true, conclude: true },
  sumOf: { list: true, slot: true, variable: true, body: true },
  apply: { operands: true, reads: true, measures: true, cost: true, apply: true },
  present: { operand: true },
  invalid: {},
};

type Operator = ArithmeticOperator | OrderNode['operator'] | Quantifier;
const operators: Readonly<Record<Operator, true>> = {
  '+': true,
  '-': true,
  '*': true,
  '/': true,
  '<': true,
  '>': true,
  '<=': true,
  '>=': true,
  some: true,
  every: true,
  no: true,
  select: true,
};

const policyMembers: Members<CompiledPolicy> = {
  id: true,
  effect: true,
  source: true,
  condition: true,
  consensus: true,
  time: true,
  invalid: true,
};

const expressionMembers: Members<CompiledExpression> = {
  field: true,
  text: true,
  typed: true,
  // The tree is rewritten already.
  amongAgreeing: true,
  limits: true,
  asks: true,
  quoted: true,
  uses: true,
  controls: true,
  cost: true,
  evaluator: true,
};

/**
 * Throws NotUnderstoodError if a policy contains a construct or a member that the encoding does not know.
 * SECURITY: D424: what is not known is refused and not skipped. An operator that is added to the language later can then make a question
 * unanswerable, but never prove a property that does not hold.
 */
export function requireUnderstood(policy: CompiledPolicy): void {
  requireMembers(policy, policyMembers, policy.id);
  for (const expression of [policy.condition, policy.consensus, policy.time]) requireExpression(expression);
}

/** The same for one expression. */
export function requireExpression(expression: CompiledExpression | undefined): void {
  if (expression === undefined) return;
  requireMembers(expression, expressionMembers, expression.text);
  const visit = (node: Typed) => {
    const known: Readonly<Record<string, true>> | undefined = Object.hasOwn(nodes, node.kind) ? nodes[node.kind] : undefined;
    const text = expression.text.slice(node.span.start, node.span.end);
    if (known === undefined) throw new NotUnderstoodError(text);
    requireMembers(node, { ...known, kind: true, span: true, type: true }, text);
    if (!operatorsOf(node).every((each) => Object.hasOwn(operators, each))) throw new NotUnderstoodError(text);
    for (const part of partsOf(node)) visit(part);
  };
  visit(expression.typed);
}

function operatorsOf(node: Typed): readonly string[] {
  if (node.kind === 'arithmetic') return node.operators;
  return node.kind === 'order' ? [node.operator] : node.kind === 'each' ? [node.quantifier] : [];
}

function requireMembers(value: object, known: Readonly<Record<string, true>>, part: string): void {
  for (const [name, member] of Object.entries(value))
    if (member !== undefined && !Object.hasOwn(known, name)) throw new NotUnderstoodError(part);
}
