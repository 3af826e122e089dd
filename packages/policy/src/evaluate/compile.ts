import {
  type ApplyNode,
  countNodes,
  type EachNode,
  isAlwaysAsked,
  type OneOfNode,
  type OrderNode,
  type ReadNode,
  type SumNode,
  type Typed,
} from '../check/typed.ts';
import { activityKind } from '../schema/engine.ts';
import type { Namespace } from '../schema/namespace.ts';
import type { Span } from '../syntax/span.ts';
import { isList, isRecord, type PolicyValue, recordField } from '../value.ts';
import { indexValue, sliceValue } from './access.ts';
import { bounded, compute } from './arithmetic.ts';
import type { Environment, Evaluator } from './environment.ts';
import { type NamespaceValues, spend } from './evaluation.ts';
import { EvaluationError } from './evaluation-error.ts';
import { absent, equal, mismatch, missing } from './raise.ts';

/** Wraps each evaluator when it is compiled, for example to trace it. */
export type Instrument = (node: Typed, evaluator: Evaluator) => Evaluator;

/** Which operands of `&&` and `||` are evaluated: all, or only up to the one that decides. */
export type Asks = 'EVERY_OPERAND' | 'UNTIL_DECIDED';

/**
 * Compiles a checked tree to closures. An error in any evaluated part is the error of the whole. Of several errors, the first in the text
 * counts. Only `&&` and `||` skip parts, and only with UNTIL_DECIDED.
 */
export function compileNode(node: Typed, asks: Asks, instrument: Instrument = (_, evaluator) => evaluator): Evaluator {
  const compile = (part: Typed) => compileNode(part, asks, instrument);
  return instrument(node, build(node, asks, compile));
}

type Compile = (part: Typed) => Evaluator;

function build(node: Typed, asks: Asks, compile: Compile): Evaluator {
  switch (node.kind) {
    case 'constant': {
      const { value } = node;
      return () => value;
    }
    case 'read':
      return read(node);
    case 'variable': {
      const { slot } = node;
      return ({ variables }) => variables[slot] as PolicyValue;
    }
    case 'field':
      return field(compile(node.base), node.name, node.span);
    case 'index':
      return binary(compile(node.base), compile(node.index), (base, index, environment) =>
        indexValue(base, index, node.span, environment),
      );
    case 'slice':
      return slice(node, compile);
    case 'list':
      return list(node.items.map(compile));
    case 'not': {
      const { span } = node;
      return unary(compile(node.operand), (value) => (typeof value === 'boolean' ? !value : mismatch('bool', value, span)));
    }
    case 'and':
    case 'or':
      return logical(node.operands, node.operands.map(compile), node.kind === 'and', asks);
    case 'oneOf':
      return oneOf(node, compile(node.operand), asks);
    case 'equal': {
      const { negated, span } = node;
      return binary(compile(node.left), compile(node.right), (left, right) => {
        const same = equal(left, right, span);
        return typeof same === 'boolean' ? same !== negated : same;
      });
    }
    case 'order':
      return order(node, compile);
    case 'hasOneOf': {
      const holds = isAmong(node, asks);
      return unary(compile(node.list), (list, environment) => scan(list, node.span, environment, holds));
    }
    case 'member':
      return member(node, compile);
    case 'each':
      return each(node, compile);
    case 'arithmetic': {
      const { operators, span } = node;
      const operands = list(node.operands.map(compile));
      return (environment) => {
        const values = operands(environment);
        return values instanceof EvaluationError ? values : compute(values, operators, span);
      };
    }
    case 'sumOf':
      return total(node, compile);
    case 'apply':
      return apply(node, node.operands.map(compile));
    case 'present': {
      const operand = compile(node.operand);
      return (environment) => {
        const value = operand(environment);
        return value instanceof EvaluationError ? (value.isAbsence ? false : value) : true;
      };
    }
    case 'invalid': {
      const { span } = node;
      return () => new EvaluationError('INVALID_POLICY', span, 'this part of the expression is not valid');
    }
  }
}

function read({ namespace, path, span, beside }: ReadNode): Evaluator {
  if (beside !== undefined) return readControl(namespace, beside, span);
  return ({ values }) => {
    const root = values.get(namespace.path);
    if (root === undefined) return isOwed(namespace, values) ? missing(namespace.path, span) : absent(namespace.path, span);
    let value: PolicyValue = root;
    for (const name of path) {
      const next: PolicyValue | undefined = isRecord(value) ? recordField(value, name) : undefined;
      if (next === undefined) return missing(name, span);
      value = next;
    }
    return value;
  };
}

/** SECURITY: D480: a limit has no value if the request moves an asset that neither it nor another limit of the `&&` counts. */
function readControl(namespace: Namespace, beside: readonly string[], span: Span): Evaluator {
  return ({ values }) => {
    const value = values.get(namespace.path);
    if (value === undefined) return isOwed(namespace, values) ? missing(namespace.path, span) : absent(namespace.path, span);
    const why = values.uncovered?.(namespace.path, beside);
    return why === undefined ? value : new EvaluationError('MISSING_FIELD', span, why);
  };
}

/** Whether activities of this kind always have the namespace, so that its absence is an error. */
function isOwed({ alwaysIn }: Namespace, values: NamespaceValues): boolean {
  const kind = alwaysIn === undefined ? undefined : values.get(activityKind.path);
  return typeof kind === 'string' && alwaysIn?.has(kind) === true;
}

function field(base: Evaluator, name: string, span: Span): Evaluator {
  return unary(base, (value) => {
    const found = isRecord(value) ? recordField(value, name) : undefined;
    return found ?? missing(name, span);
  });
}

function slice(node: Typed & { kind: 'slice' }, compile: Compile): Evaluator {
  const [base, from, to] = [compile(node.base), compile(node.from), compile(node.to)];
  return (environment) => {
    const [value, start, end] = [base(environment), from(environment), to(environment)];
    if (value instanceof EvaluationError) return value;
    if (start instanceof EvaluationError) return start;
    return end instanceof EvaluationError ? end : sliceValue(value, start, end, node.span, environment);
  };
}

/** The values of all parts, or the first error. */
function list(items: readonly Evaluator[]): (environment: Environment) => readonly PolicyValue[] | EvaluationError {
  return (environment) => {
    const values: PolicyValue[] = [];
    let error: EvaluationError | undefined;
    for (const item of items) {
      const value = item(environment);
      if (value instanceof EvaluationError) error ??= value;
      else values.push(value);
    }
    return error ?? values;
  };
}

function logical(nodes: readonly Typed[], operands: readonly Evaluator[], all: boolean, asks: Asks): Evaluator {
  const always = nodes.map((node) => asks === 'EVERY_OPERAND' || isAlwaysAsked(node));
  return (environment) => {
    let result = all;
    let error: EvaluationError | undefined;
    for (let index = 0; index < operands.length; index += 1) {
      const operand = operands[index] as Evaluator;
      if (result !== all && always[index] === false) {
        environment.tracer?.unasked(operand, environment);
        continue;
      }
      const value = operand(environment);
      if (value === !all) result = !all;
      else if (value instanceof EvaluationError) error ??= value;
      else if (value !== all) error ??= mismatch('bool', value, (nodes[index] as Typed).span);
    }
    return error ?? result;
  };
}

function oneOf(node: OneOfNode, operand: Evaluator, asks: Asks): Evaluator {
  const holds = isAmong(node, asks);
  return unary(operand, (value) => {
    const found = holds(value);
    return typeof found === 'boolean' ? found !== node.negated : found;
  });
}

/**
 * Whether a value is one of the literals. All literals have one type. Quoted integers also match an integer.
 * SECURITY: not in a DENY. There, comparing an integer with a text was an error, which denies, and must not become `false`.
 */
function isAmong(
  { values, integers, span }: Pick<OneOfNode, 'values' | 'integers' | 'span'>,
  asks: Asks,
): (value: PolicyValue) => boolean | EvaluationError {
  const kind = typeof values.values().next().value;
  return (value) => {
    if (typeof value === kind) return values.has(value as string);
    if (integers !== undefined && asks === 'UNTIL_DECIDED' && typeof value === 'bigint') return integers.has(value);
    return mismatch(kind, value, span);
  };
}

function order({ operator, left, right, span }: OrderNode, compile: Compile): Evaluator {
  const compare = comparisons[operator];
  return binary(compile(left), compile(right), (first, second) => {
    if (typeof first !== 'bigint') return mismatch('int', first, span);
    return typeof second === 'bigint' ? compare(first, second) : mismatch('int', second, span);
  });
}

const comparisons: Readonly<Record<OrderNode['operator'], (left: bigint, right: bigint) => boolean>> = {
  '<': (left, right) => left < right,
  '>': (left, right) => left > right,
  '<=': (left, right) => left <= right,
  '>=': (left, right) => left >= right,
};

function member({ item, list, span }: Typed & { kind: 'member' }, compile: Compile): Evaluator {
  const test = (wanted: PolicyValue, elements: PolicyValue, environment: Environment) =>
    scan(elements, span, environment, (value) => equal(wanted, value, span));
  // `item in list` and `list.contains(item)` are the same operation. Each evaluates its parts in text order.
  if (item.span.start < list.span.start) return binary(compile(item), compile(list), test);
  return binary(compile(list), compile(item), (elements, wanted, environment) => test(wanted, elements, environment));
}

/** Whether the test holds for any element. Every element is tested, even after a match. */
function scan(
  list: PolicyValue,
  span: Span,
  environment: Environment,
  test: (value: PolicyValue) => boolean | EvaluationError,
): boolean | EvaluationError {
  if (!isList(list)) return mismatch('list', list, span);
  const limit = spend(environment, list.length, span);
  if (limit !== undefined) return limit;
  let found = false;
  let error: EvaluationError | undefined;
  for (const value of list) {
    const result = test(value);
    if (result === true) found = true;
    else if (result instanceof EvaluationError) error ??= result;
  }
  return error ?? found;
}

function each(node: EachNode, compile: Compile): Evaluator {
  const { slot, span } = node;
  const [list, body] = [compile(node.list), compile(node.body)];
  const cost = countNodes(node.body);
  return (environment) => {
    const values = list(environment);
    if (values instanceof EvaluationError) return values;
    if (!isList(values)) return mismatch('list', values, span);
    const kept: PolicyValue[] = [];
    let error: EvaluationError | undefined;
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index] as PolicyValue;
      const limit = spend(environment, cost, span);
      if (limit !== undefined) return error ?? limit;
      environment.variables[slot] = value;
      environment.tracer?.element(index, value);
      const result = body(environment);
      if (result === true) kept.push(value);
      else if (result instanceof EvaluationError) error ??= result;
      else if (result !== false) error ??= mismatch('bool', result, node.body.span);
    }
    return error ?? node.conclude(kept, values);
  };
}

function total(node: SumNode, compile: Compile): Evaluator {
  const { slot, span } = node;
  const [list, body] = [compile(node.list), compile(node.body)];
  const cost = countNodes(node.body);
  return (environment) => {
    const values = list(environment);
    if (values instanceof EvaluationError) return values;
    if (!isList(values)) return mismatch('list', values, span);
    let sum = 0n;
    let error: EvaluationError | undefined;
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index] as PolicyValue;
      const limit = spend(environment, cost, span);
      if (limit !== undefined) return error ?? limit;
      environment.variables[slot] = value;
      environment.tracer?.element(index, value);
      const term = body(environment);
      if (typeof term === 'bigint') sum += term;
      else error ??= term instanceof EvaluationError ? term : mismatch('int', term, node.body.span);
    }
    return error ?? bounded(sum, span);
  };
}

function apply(node: ApplyNode, operands: readonly Evaluator[]): Evaluator {
  const [only] = operands;
  if (only !== undefined && operands.length === 1) return unary(only, (value, environment) => node.apply([value], environment));
  const values = list(operands);
  return (environment) => {
    const given = values(environment);
    return given instanceof EvaluationError ? given : node.apply(given, environment);
  };
}

function unary(
  operand: Evaluator,
  apply: (value: PolicyValue, environment: Environment) => PolicyValue | EvaluationError,
): Evaluator {
  return (environment) => {
    const value = operand(environment);
    return value instanceof EvaluationError ? value : apply(value, environment);
  };
}

type BinaryOperation = (left: PolicyValue, right: PolicyValue, environment: Environment) => PolicyValue | EvaluationError;

function binary(left: Evaluator, right: Evaluator, apply: BinaryOperation): Evaluator {
  return (environment) => {
    const first = left(environment);
    const second = right(environment);
    if (first instanceof EvaluationError) return first;
    return second instanceof EvaluationError ? second : apply(first, second, environment);
  };
}
