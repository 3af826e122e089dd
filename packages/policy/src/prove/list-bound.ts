import { measuredList, type OrderNode, partsOf, someNode, type Typed } from '../check/typed.ts';
import type { CompiledPolicy } from '../policy.ts';
import { approvers, credentials } from '../schema/engine.ts';

/** Longer lists are too slow for the solver. */
export const LONGEST_LIST = 12;

/**
 * The number of elements per list that is enough to decide a question for lists of any length. Undefined if no such number is known.
 *
 * Proof. Take a counter-example with lists of any length: `forbid` is true, one ALLOW is true, and every DENY is false or does not apply.
 * So no error helps a counter-example, and "no element fails" stays true if elements are removed. Operands that `&&` and `||` skip may
 * fail. The operand that decides before them keeps its witnesses, so they stay skipped. Two kinds of claims remain. Some stay true if
 * elements are removed: no element satisfies p; at most n do; their sum, of non-negative integers, is at most n. The others need witnesses:
 * at least n elements satisfy p. Keep the witnesses of every such claim and remove all other elements. All claims still hold, so this is a
 * counter-example with as many elements as there are witnesses. A claim on `list[n]` keeps the first n + 1 elements. Each predicate must
 * read only its own element: nothing is claimed for a list inside a predicate.
 */
export function sufficientListSize(forbid: Typed, policies: readonly CompiledPolicy[]): number | undefined {
  const needs = (effect: CompiledPolicy['effect'], want: boolean) =>
    policies.flatMap((policy) => (policy.effect === effect && policy.condition ? [witnesses(policy.condition.typed, want)] : []));
  const count = witnesses(forbid, true) + Math.max(0, ...needs('EFFECT_ALLOW', true)) + total(needs('EFFECT_DENY', false));
  const size = count + prefixLength(forbid, policies);
  return size > LONGEST_LIST ? undefined : Math.max(1, size);
}

/** The length of the prefix that positions refer to. */
export function prefixLength(forbid: Typed, policies: readonly CompiledPolicy[]): number {
  const conditions = policies.flatMap(({ condition }) => (condition === undefined ? [] : [condition.typed]));
  return Math.max(...[forbid, ...conditions].map(positions));
}

function positions(node: Typed): number {
  const index = node.kind === 'index' && node.base.type.kind === 'list' ? node.index : undefined;
  const own = index?.kind === 'constant' && typeof index.value === 'bigint' ? Number(index.value) + 1 : 0;
  return Math.max(own, ...partsOf(node).map(positions));
}

/** The number of elements to keep so that the node stays true (or false). Infinity if no number is enough. */
function witnesses(node: Typed, want: boolean): number {
  if (!asksLists(node)) return 0;
  switch (node.kind) {
    case 'not':
      return witnesses(node.operand, !want);
    case 'and':
    case 'or': {
      const needs = node.operands.map((operand) => witnesses(operand, want));
      return (node.kind === 'and') === want ? total(needs) : Math.max(...needs);
    }
    case 'each':
      if (node.quantifier === 'select' || asksLists(node.body) || !isPlainList(node.list)) return Number.POSITIVE_INFINITY;
      return (node.quantifier === 'some') === want ? 1 : 0;
    case 'hasOneOf':
    case 'member':
      if (!isPlainList(node.list) || (node.kind === 'member' && asksLists(node.item))) return Number.POSITIVE_INFINITY;
      return want ? 1 : 0;
    case 'order':
      return ordered(node, want);
    case 'oneOf':
      return exactly(node, want);
    default:
      return Number.POSITIVE_INFINITY;
  }
}

/** `count >= n`, `sum <= n` and the like. */
function ordered({ operator, left, right }: OrderNode, want: boolean): number {
  const flipped = left.kind === 'constant';
  const [measure, bound] = flipped ? [right, left] : [left, right];
  if (bound.kind !== 'constant' || typeof bound.value !== 'bigint') return Number.POSITIVE_INFINITY;
  const least = (operator === '>' || operator === '>=') !== flipped;
  const strict = operator === '<' || operator === '>';
  const list = measuredList(measure);
  if (list === undefined) return least === want || !isUnsignedSum(measure) ? Number.POSITIVE_INFINITY : 0;
  if (!isPlainList(list)) return Number.POSITIVE_INFINITY;
  if (least !== want) return 0;
  // `count > n` and the negation of `count <= n` need one more than `count >= n` and the negation of `count < n`.
  const needed = Number(bound.value) + (strict === want ? 1 : 0);
  return Math.max(0, needed);
}

/** `count == n` keeps exactly n. `count != 0` needs one. */
function exactly(node: Typed & { kind: 'oneOf' }, want: boolean): number {
  const list = measuredList(node.operand);
  if (list === undefined || !isPlainList(list)) return Number.POSITIVE_INFINITY;
  const counts = [...node.values].map(Number);
  if (node.negated !== want) return Math.max(0, ...counts);
  return counts.length === 1 && counts[0] === 0 ? 1 : Number.POSITIVE_INFINITY;
}

/** A list of the request, or a filter of one whose predicates read no other list. */
function isPlainList(node: Typed): boolean {
  if (node.kind === 'each' && node.quantifier === 'select') return !asksLists(node.body) && isPlainList(node.list);
  return node.kind === 'read';
}

/** A sum of one field over a list of non-negative integers. */
function isUnsignedSum(node: Typed): boolean {
  if (node.kind !== 'sumOf' || !isPlainList(node.list)) return false;
  const root = rootOf(node.list);
  const { body } = node;
  const ownField = body.kind === 'field' && body.base.kind === 'variable' && body.base.slot === node.slot;
  return ownField && root?.kind === 'read' && root.namespace.unsigned === true;
}

/** Whether anything in the node iterates over a list of the request. People are fixed, and contacts are sets. */
function asksLists(node: Typed): boolean {
  return someNode(node, (part) => {
    const list = part.kind === 'each' || part.kind === 'sumOf' ? part.list : listScanned(part);
    return list !== undefined && isOfRequest(rootOf(list));
  });
}

function listScanned(node: Typed): Typed | undefined {
  return node.kind === 'hasOneOf' || node.kind === 'member' ? node.list : measuredList(node);
}

function isOfRequest(root: Typed): boolean {
  if (root.kind === 'list') return false;
  if (root.kind === 'index') return isOfRequest(root.base);
  if (root.kind !== 'read') return true;
  return root.namespace !== approvers && root.namespace !== credentials && root.namespace.path !== 'contacts';
}

function rootOf(list: Typed): Typed {
  return list.kind === 'each' ? rootOf(list.list) : list;
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}
