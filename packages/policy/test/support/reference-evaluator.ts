import type { Asks } from '../../src/evaluate/compile.ts';
import type { NamespaceValues } from '../../src/evaluate/evaluation.ts';
import type { EvaluationErrorCode } from '../../src/evaluate/evaluation-error.ts';
import type { PolicyValue } from '../../src/index.ts';
import { namespaces } from '../../src/schema/schema.ts';
import type { Expression } from '../../src/syntax/ast.ts';

/** The result of the reference evaluator: a value, or the code of the first error in text order. */
export type ReferenceResult = { readonly value: PolicyValue } | { readonly error: EvaluationErrorCode };

class Failure extends Error {
  readonly code: EvaluationErrorCode;
  constructor(code: EvaluationErrorCode) {
    super(code);
    this.code = code;
  }
}

type Scope = ReadonlyMap<string, PolicyValue>;

/**
 * A second implementation of the language, written for clarity: it walks the syntax tree, has no types, compiles nothing and resolves names
 * during evaluation. It has no limits and no schema except the list of namespaces.
 */
export function referenceEvaluate(expression: Expression, values: NamespaceValues, asks: Asks): ReferenceResult {
  try {
    checkNamespaces(expression, values, new Set());
    return { value: evaluate(expression, values, new Map(), asks) };
  } catch (error) {
    if (error instanceof Failure) return { error: error.code };
    throw error;
  }
}

function checkNamespaces(expression: Expression, values: NamespaceValues, variables: ReadonlySet<string>): void {
  const path = dottedPath(expression);
  if (path !== undefined && !variables.has(path[0] as string)) {
    if (rootOf(path, values) === undefined) throw new Failure('NAMESPACE_ABSENT');
    return;
  }
  if (expression.kind === 'method' && expression.args.length === 2) {
    checkNamespaces(expression.base, values, variables);
    const [variable, body] = expression.args as [Expression & { kind: 'name' }, Expression];
    checkNamespaces(body, values, new Set([...variables, variable.name]));
    return;
  }
  for (const part of childrenOf(expression)) checkNamespaces(part, values, variables);
}

function evaluate(expression: Expression, values: NamespaceValues, scope: Scope, asks: Asks): PolicyValue {
  const run = (part: Expression) => evaluate(part, values, scope, asks);
  const test = (part: Expression) => bool(run(part));
  switch (expression.kind) {
    case 'quantity': {
      const decimals = unitDecimals[expression.unit];
      if (decimals === undefined) throw new Error(`not part of this evaluator: ${expression.unit}`);
      return (expression.digits * 10n ** decimals) / 10n ** BigInt(expression.places);
    }
    case 'negate':
      return -int(run(expression.operand));
    case 'arithmetic': {
      const [first, ...rest] = expression.operands.map(run);
      return rest.reduce<bigint>(
        (left, right, index) => calculate(left, expression.operators[index] as string, int(right)),
        int(first as PolicyValue),
      );
    }
    case 'boolean':
    case 'integer':
    case 'string':
      return expression.value;
    case 'list':
      return expression.items.map(run);
    case 'name':
    case 'field':
      return path(expression, values, scope, asks);
    case 'index':
      return indexed(run(expression.base), run(expression.index));
    case 'slice':
      return sliced(run(expression.base), run(expression.from), run(expression.to));
    case 'not':
      return !bool(run(expression.operand));
    case 'and':
      return asks === 'UNTIL_DECIDED' ? expression.operands.every(test) : expression.operands.map(test).every(Boolean);
    case 'or':
      return asks === 'UNTIL_DECIDED' ? expression.operands.some(test) : expression.operands.map(test).some(Boolean);
    case 'compare': {
      const [left, right] = [run(expression.left), run(expression.right)];
      if (expression.operator === '==') return same(left, right);
      if (expression.operator === '!=') return !same(left, right);
      const [a, b] = [int(left), int(right)];
      return { '<': a < b, '>': a > b, '<=': a <= b, '>=': a >= b }[expression.operator];
    }
    case 'in': {
      const [item, list] = [run(expression.item), run(expression.list)];
      return listOf(list)
        .map((each) => same(item, each))
        .some(Boolean);
    }
    case 'method':
      return method(expression, values, scope, asks);
    default:
      throw new Error(`not part of this evaluator: ${expression.kind}`);
  }
}

const unitDecimals: Readonly<Record<string, bigint>> = { ETH: 18n, gwei: 9n, wei: 0n, SOL: 9n, USDC: 6n };

function calculate(left: bigint, operator: string, right: bigint): bigint {
  if (operator === '+') return within(left + right);
  if (operator === '-') return within(left - right);
  if (operator === '*') return within(left * right);
  if (right === 0n) throw new Failure('DIVISION_BY_ZERO');
  // The one quotient q with q * right <= left < (q + 1) * right, for a positive right.
  const [dividend, divisor] = right < 0n ? [-left, -right] : [left, right];
  const rest = ((dividend % divisor) + divisor) % divisor;
  return (dividend - rest) / divisor;
}

function within(value: bigint): bigint {
  if ((value < 0n ? -value : value).toString(2).length > 1024) throw new Failure('INTEGER_TOO_LARGE');
  return value;
}

function method(expression: Expression & { kind: 'method' }, values: NamespaceValues, scope: Scope, asks: Asks): PolicyValue {
  const list = evaluate(expression.base, values, scope, asks);
  const [first, body] = expression.args;
  if (expression.name === 'count') return BigInt(listOf(list).length);
  if (expression.name === 'contains') {
    const item = evaluate(first as Expression, values, scope, asks);
    return listOf(list)
      .map((each) => same(item, each))
      .some(Boolean);
  }
  const name = (first as Expression & { kind: 'name' }).name;
  if (expression.name === 'sum') {
    const terms = listOf(list).map((each) => int(evaluate(body as Expression, values, new Map([...scope, [name, each]]), asks)));
    return terms.reduce((total, term) => total + term, 0n);
  }
  const kept = listOf(list).map((each) => bool(evaluate(body as Expression, values, new Map([...scope, [name, each]]), asks)));
  if (expression.name === 'any') return kept.some(Boolean);
  if (expression.name === 'none') return !kept.some(Boolean);
  if (expression.name === 'all') return kept.every(Boolean);
  return listOf(list).filter((_, index) => kept[index]);
}

function path(expression: Expression, values: NamespaceValues, scope: Scope, asks: Asks): PolicyValue {
  const names = dottedPath(expression);
  if (names === undefined || scope.has(names[0] as string)) {
    if (expression.kind === 'name') return scope.get(expression.name) as PolicyValue;
    const { base, name } = expression as Expression & { kind: 'field' };
    const value = evaluate(base, values, scope, asks);
    if (name === 'count') return BigInt(listOf(value).length);
    return member(value, name);
  }
  const root = rootOf(names, values) as string;
  return names
    .slice(root.split('.').length)
    .reduce(
      (value, name) => (name === 'count' ? BigInt(listOf(value).length) : member(value, name)),
      values.get(root) as PolicyValue,
    );
}

function dottedPath(expression: Expression): readonly string[] | undefined {
  if (expression.kind === 'name') return [expression.name];
  if (expression.kind !== 'field') return undefined;
  const base = dottedPath(expression.base);
  return base === undefined ? undefined : [...base, expression.name];
}

function rootOf(names: readonly string[], values: NamespaceValues): string | undefined {
  const roots = namespaces
    .map(({ path: root }) => root)
    .filter((root) => names.join('.') === root || names.join('.').startsWith(`${root}.`));
  return roots.find((root) => values.has(root));
}

function childrenOf(expression: Expression): readonly Expression[] {
  return Object.values(expression)
    .flatMap((part) => (Array.isArray(part) ? part : [part]))
    .filter((part): part is Expression => typeof part === 'object' && part !== null && 'kind' in part);
}

function member(value: PolicyValue, name: string): PolicyValue {
  const found = Object.entries(value).find(([key]) => key === name);
  if (found === undefined) throw new Failure('MISSING_FIELD');
  return found[1] as PolicyValue;
}

function indexed(base: PolicyValue, index: PolicyValue): PolicyValue {
  if (typeof index === 'string') {
    if (!(base instanceof Map)) throw new Failure('TYPE_MISMATCH');
    if (!base.has(index)) throw new Failure('MISSING_KEY');
    return base.get(index) as PolicyValue;
  }
  const elements: readonly PolicyValue[] = typeof base === 'string' ? [...base] : listOf(base);
  if (int(index) < 0n || int(index) >= BigInt(elements.length)) throw new Failure('INDEX_OUT_OF_RANGE');
  return elements[Number(index)] as PolicyValue;
}

function sliced(base: PolicyValue, from: PolicyValue, to: PolicyValue): PolicyValue {
  const [start, end] = [int(from), int(to)];
  const elements: readonly PolicyValue[] = typeof base === 'string' ? [...base] : listOf(base);
  if (start < 0n || end < start || end > BigInt(elements.length)) throw new Failure('INDEX_OUT_OF_RANGE');
  const part = elements.slice(Number(start), Number(end));
  return typeof base === 'string' ? part.join('') : part;
}

function same(left: PolicyValue, right: PolicyValue): boolean {
  if (typeof left === 'object' || typeof left !== typeof right) throw new Failure('TYPE_MISMATCH');
  return canonical(left) === canonical(right);
}

/** Ethereum addresses are case-insensitive. Other values are unchanged. */
function canonical(value: PolicyValue): PolicyValue {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value) ? value.toLowerCase() : value;
}

function bool(value: PolicyValue): boolean {
  if (typeof value !== 'boolean') throw new Failure('TYPE_MISMATCH');
  return value;
}

function int(value: PolicyValue): bigint {
  if (typeof value !== 'bigint') throw new Failure('TYPE_MISMATCH');
  return value;
}

function listOf(value: PolicyValue): readonly PolicyValue[] {
  if (!Array.isArray(value)) throw new Failure('TYPE_MISMATCH');
  return value as readonly PolicyValue[];
}
