import { checkMembership } from '../check/equality.ts';
import { mismatch } from '../evaluate/raise.ts';
import { t } from '../types.ts';
import { isList } from '../value.ts';
import { type ListMethod, plainMethod, predicateMethod, toBool } from './list-method.ts';

/** `list.all(item, predicate)` */
export const all = predicateMethod({
  name: 'all',
  signature: 'list.all(item, predicate)',
  doc: 'Whether the predicate is true for every element. True for an empty list.',
  knownElsewhereAs: ['every'],
  quantifier: 'every',
  returns: toBool,
  conclude: (kept, elements) => kept.length === elements.length,
});

/** `list.any(item, predicate)` */
export const any = predicateMethod({
  name: 'any',
  signature: 'list.any(item, predicate)',
  doc: 'Whether the predicate is true for at least one element.',
  knownElsewhereAs: ['exists', 'some'],
  quantifier: 'some',
  returns: toBool,
  conclude: (kept) => kept.length > 0,
});

/** `list.contains(value)` */
export const contains: ListMethod = Object.freeze({
  name: 'contains',
  signature: 'list.contains(value)',
  doc: 'Whether the list holds the value.',
  knownElsewhereAs: ['includes', 'has'],
  check: ({ list, args, span, context, checkArgument }) => {
    const [value] = args;
    if (value === undefined || args.length !== 1) return 'WRONG_ARGUMENTS';
    return checkMembership(checkArgument(value), list, span, context);
  },
} satisfies ListMethod);

/** `list.count()` */
export const count = plainMethod({
  name: 'count',
  signature: 'list.count()',
  doc: 'The number of elements. `count` may be written without its parentheses.',
  knownElsewhereAs: ['length', 'len', 'size'],
  bare: true,
  returns: t.int,
  measures: 'size',
  evaluate: (list, span) => (isList(list) ? BigInt(list.length) : mismatch('list', list, span)),
});

/** `list.filter(item, predicate)` */
export const filter = predicateMethod({
  name: 'filter',
  signature: 'list.filter(item, predicate)',
  doc: 'The elements for which the predicate is true.',
  knownElsewhereAs: [],
  quantifier: 'select',
  returns: (list) => list,
  conclude: (kept) => kept,
});

/** Every method of lists, by name. A new one is one entry here. */
export const listMethods: ReadonlyMap<string, ListMethod> = new Map(
  [all, any, contains, count, filter].map((method) => [method.name, method]),
);

/** The method that another language has under this name. */
export function methodKnownAs(foreign: string): ListMethod | undefined {
  return [...listMethods.values()].find(({ knownElsewhereAs }) => knownElsewhereAs.includes(foreign));
}
