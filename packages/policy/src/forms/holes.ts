import { literalTexts } from '../check/literals.ts';
import type { CheckOptions } from '../check/options.ts';
import { partsOf, type Scalar, type Typed } from '../check/typed.ts';
import { coinUnits } from '../schema/chains.ts';
import { MAX_LITERAL } from '../syntax/number.ts';
import type { Type } from '../types.ts';
import { literalAt } from './skeleton.ts';

/** What the literals of one node may be exchanged for. */
export type Hole =
  /** The texts that a value of the type is compared with. */
  | { readonly kind: 'texts'; readonly places: readonly number[]; readonly type: Type }
  /** The number that an integer is compared with: so many base units for each. */
  | { readonly kind: 'integer'; readonly places: readonly [number]; readonly scale: bigint };

/** The holes of a tree by their nodes: a comparison, or an integer constant. */
export type Holes = ReadonlyMap<Typed, Hole>;

/**
 * The literals of a checked tree that may be exchanged.
 * INVARIANT: with other contents of the same length, parser and checker give the same tree with what `valuesOf` and `integerOf` give in
 * these nodes, or a diagnostic where these give undefined. Every literal that can matter to anything else is no hole: it may be a
 * chain id that a unit depends on, a part of a computation, a quoted integer, a position, a schedule or a word of a closed set.
 */
export function holesOf(typed: Typed, text: string, bounds: readonly number[], options: CheckOptions): Holes {
  const found = new Map<Typed, Hole>();
  const visit = (node: Typed) => {
    const texts = textsHole(node, text, bounds, options);
    if (texts !== undefined) found.set(node, texts);
    if (node.kind === 'order') {
      for (const [constant, other] of [
        [node.left, node.right],
        [node.right, node.left],
      ] as const) {
        const integer = other.kind === 'constant' ? undefined : integerHole(constant, text, bounds);
        if (integer !== undefined) found.set(constant, integer);
      }
    }
    for (const part of partsOf(node)) visit(part);
  };
  visit(typed);
  return found;
}

/** The values of a comparison with other literals. Undefined where one of them is not valid. */
export function valuesOf(
  hole: Hole & { kind: 'texts' },
  text: string,
  bounds: readonly number[],
  options: CheckOptions,
): ReadonlySet<Scalar> | undefined {
  const values = new Set<Scalar>();
  for (const place of hole.places) {
    const texts = literalTexts(literalAt(text, bounds, place), hole.type, nowhere, options);
    if ('code' in texts) return undefined;
    for (const each of texts) values.add(each);
  }
  return values;
}

/** Whether every literal of the same length is valid there: plain texts, and integers without a unit, which are as short as keys take. */
export function isAnyValid(hole: Hole): boolean {
  if (hole.kind === 'integer') return hole.scale === 1n;
  return hole.type.kind === 'string' && hole.type.vocabulary === undefined && hole.type.form === undefined;
}

const nowhere = { start: 0, end: 0 };

/** The integer of a constant with another literal. Undefined where it does not fit into 256 bits. */
export function integerOf(
  { places: [place], scale }: Hole & { kind: 'integer' },
  text: string,
  bounds: readonly number[],
): bigint | undefined {
  const value = BigInt(literalAt(text, bounds, place)) * scale;
  return value > MAX_LITERAL ? undefined : value;
}

/** `path == 'text'`, `path in ['text', …]`, `list.contains('text')` and what means the same. */
function textsHole(node: Typed, text: string, bounds: readonly number[], options: CheckOptions): Hole | undefined {
  if ((node.kind !== 'oneOf' && node.kind !== 'hasOneOf') || node.integers !== undefined) return undefined;
  const subject = node.kind === 'oneOf' ? node.operand : node.list;
  const type = comparedType(node);
  if (subject.kind === 'constant' || subject.kind === 'list' || type === undefined || nameOf(subject) === 'asset')
    return undefined;
  const { span } = node;
  const places: number[] = [];
  for (let place = firstPlace(bounds, span.start); place < bounds.length / 2; place++) {
    const start = bounds[2 * place] as number;
    if (start >= span.end) break;
    if (start < subject.span.start || start >= subject.span.end) places.push(place);
  }
  const hole = { kind: 'texts', places, type } as const;
  const values = valuesOf(hole, text, bounds, options);
  return values !== undefined && isSame([...values], [...node.values]) ? hole : undefined;
}

/** The type of the values that are compared, if it is a text whose literals are checked one by one. Words of a closed set are few. */
function comparedType(node: Typed & { kind: 'oneOf' | 'hasOneOf' }): Type | undefined {
  const list = node.kind === 'hasOneOf' ? node.list.type : undefined;
  const type = node.kind === 'oneOf' ? node.operand.type : list?.kind === 'list' ? list.of : undefined;
  if (type?.kind === 'string') return type.vocabulary === undefined ? type : undefined;
  return type?.kind === 'address' ? type : undefined;
}

/** The last name of a path. A comparison with the asset of an effect says which chain an `&&` is about, and so what its units mean. */
function nameOf(node: Typed): string | undefined {
  if (node.kind === 'variable' || node.kind === 'field') return node.name;
  return node.kind === 'read' ? (node.path.at(-1) ?? node.namespace.path.split('.').at(-1)) : undefined;
}

/** `5`, or `5 ETH`. A token has other decimals on other chains, so an amount of tokens is no hole. */
function integerHole(node: Typed, text: string, bounds: readonly number[]): Hole | undefined {
  if (node.kind !== 'constant' || node.type.kind !== 'int') return undefined;
  const { span, unit, value } = node;
  const place = firstPlace(bounds, span.start);
  const decimals = unit === undefined ? 0 : coinUnits.get(unit)?.decimals;
  if (bounds[2 * place] !== span.start || decimals === undefined) return undefined;
  if (text.slice(bounds[2 * place + 1], span.end).trim() !== (unit ?? '')) return undefined;
  const hole = { kind: 'integer', places: [place], scale: 10n ** BigInt(decimals) } as const;
  return integerOf(hole, text, bounds) === value ? hole : undefined;
}

/** The place of the first literal that begins at a position or after it. A search among thousands, for each of thousands of parts. */
function firstPlace(bounds: readonly number[], position: number): number {
  let [low, high] = [0, bounds.length / 2];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((bounds[2 * middle] as number) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isSame(some: readonly Scalar[], others: readonly Scalar[]): boolean {
  return some.length === others.length && some.every((each, place) => each === others[place]);
}
