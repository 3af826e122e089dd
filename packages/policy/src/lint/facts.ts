import { count } from '../builtins/list-methods.ts';
import { conjunctsOf, measuredList, type ReadNode, type Scalar, type Typed } from '../check/typed.ts';
import { equalityOf, pathOf } from '../decide/index-key.ts';

/** Facts about fixed paths that follow from the top-level clauses of an expression. */
export interface Facts {
  /** The only values that a path may have. */
  readonly among: ReadonlyMap<string, ReadonlySet<Scalar>>;
  /** Values that a path must not have. */
  readonly excluded: ReadonlyMap<string, ReadonlySet<Scalar>>;
  /** Inclusive bounds of an integer, a time, or a count (`path.count()`). */
  readonly bounds: ReadonlyMap<string, { readonly low?: bigint; readonly high?: bigint }>;
  /** A clause is the literal `false`. */
  readonly constantFalse: boolean;
}

/** Derives facts from an expression. It skips complex clauses, so the facts are always implied by the expression. */
export function factsOf(typed: Typed): Facts {
  const among = new Map<string, ReadonlySet<Scalar>>();
  const excluded = new Map<string, ReadonlySet<Scalar>>();
  const bounds = new Map<string, { low?: bigint; high?: bigint }>();
  let constantFalse = false;
  for (const clause of conjunctsOf(typed)) {
    const equality = equalityOf(clause);
    if (clause.kind === 'constant' && clause.value === false) constantFalse = true;
    if (equality !== undefined) {
      const path = pathOf(equality.read);
      const known = among.get(path);
      among.set(path, known === undefined ? equality.values : intersect(known, equality.values));
    }
    const negated = exclusionOf(clause);
    if (negated !== undefined) {
      const path = pathOf(negated.read);
      excluded.set(path, new Set([...(excluded.get(path) ?? []), ...negated.values]));
    }
    const bound = boundOf(clause);
    if (bound !== undefined) bounds.set(bound.path, tighter(bounds.get(bound.path) ?? {}, bound));
  }
  return { among, excluded, bounds, constantFalse };
}

/** A path whose facts contradict each other, or undefined. */
export function contradictionIn({ among, excluded, bounds }: Facts): string | undefined {
  for (const [path, values] of among) {
    const left = [...values].filter((value) => excluded.get(path)?.has(value) !== true && isWithin(value, bounds.get(path)));
    if (left.length === 0) return path;
  }
  for (const [path, { low, high }] of bounds) if (low !== undefined && high !== undefined && low > high) return path;
  return undefined;
}

/** Whether the facts allow a path to have a value. */
export function admits({ among, excluded }: Facts, path: string, value: Scalar): boolean {
  return among.get(path)?.has(value) !== false && excluded.get(path)?.has(value) !== true;
}

function exclusionOf(clause: Typed): { read: ReadNode; values: ReadonlySet<Scalar> } | undefined {
  if (clause.kind === 'not') return equalityOf(clause.operand);
  if (clause.kind !== 'oneOf' || !clause.negated || clause.operand.kind !== 'read') return undefined;
  return { read: clause.operand, values: clause.values };
}

function boundOf(clause: Typed): { path: string; low?: bigint; high?: bigint } | undefined {
  if (clause.kind === 'oneOf' && !clause.negated && clause.values.size === 1) {
    const [value] = clause.values;
    const path = measured(clause.operand);
    return path === undefined || typeof value !== 'bigint' ? undefined : { path, low: value, high: value };
  }
  if (clause.kind !== 'order') return undefined;
  const { operator, left, right } = clause;
  const constantRight = right.kind === 'constant';
  const [subject, bound] = constantRight ? [left, right] : [right, left];
  const path = measured(subject);
  if (path === undefined || bound.kind !== 'constant' || typeof bound.value !== 'bigint') return undefined;
  const below = constantRight === (operator === '<' || operator === '<=');
  const strict = operator === '<' || operator === '>';
  return below ? { path, high: bound.value - (strict ? 1n : 0n) } : { path, low: bound.value + (strict ? 1n : 0n) };
}

/** The path of the number of elements of a list. */
export function sizeOf(path: string): string {
  return `${path}.${count.name}()`;
}

function measured(node: Typed): string | undefined {
  const list = measuredList(node);
  if (list?.kind === 'read') return sizeOf(pathOf(list));
  return node.kind === 'read' && (node.type.kind === 'int' || node.type.kind === 'timestamp') ? pathOf(node) : undefined;
}

function tighter(
  known: { low?: bigint; high?: bigint },
  bound: { low?: bigint; high?: bigint },
): { low?: bigint; high?: bigint } {
  const low = [known.low, bound.low]
    .filter((each) => each !== undefined)
    .reduce<bigint | undefined>((a, b) => (a === undefined || b > a ? b : a), undefined);
  const high = [known.high, bound.high]
    .filter((each) => each !== undefined)
    .reduce<bigint | undefined>((a, b) => (a === undefined || b < a ? b : a), undefined);
  return { ...(low === undefined ? {} : { low }), ...(high === undefined ? {} : { high }) };
}

function isWithin(value: Scalar, bound: { low?: bigint; high?: bigint } | undefined): boolean {
  if (typeof value !== 'bigint' || bound === undefined) return true;
  return (bound.low === undefined || value >= bound.low) && (bound.high === undefined || value <= bound.high);
}

function intersect(a: ReadonlySet<Scalar>, b: ReadonlySet<Scalar>): ReadonlySet<Scalar> {
  return new Set([...a].filter((value) => b.has(value)));
}
