import { checkMembership } from '../check/equality.ts';
import { mismatch } from '../evaluate/raise.ts';
import { t, typeName } from '../types.ts';
import { isList } from '../value.ts';
import { type ListMethod, plainMethod, predicateMethod, toBool } from './list-method.ts';
import { total } from './total.ts';

/** `list.all(item, predicate)` */
export const all = predicateMethod({
  name: 'all',
  signature: 'list.all(item, predicate)',
  doc: 'Whether the predicate is true for every element. True for an empty list.',
  example: 'solana.tx.transfers.all(t, t.amount <= 1 SOL)',
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
  example: "private_key.tags.any(tag, tag == 'hot')",
  knownElsewhereAs: ['exists', 'some'],
  quantifier: 'some',
  returns: toBool,
  conclude: (kept) => kept.length > 0,
});

/** `list.contains(value)` */
export const contains: ListMethod = Object.freeze({
  name: 'contains',
  signature: 'list.contains(value)',
  doc: 'Whether the list contains the value.',
  example: "private_key.tags.contains('hot')",
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
  example: 'solana.tx.transfers.count() == 1',
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
  example: "effects.filter(e, e.kind == 'TRANSFER').count() == 1",
  knownElsewhereAs: [],
  quantifier: 'select',
  returns: (list) => list,
  conclude: (kept) => kept,
});

/** `list.none(item, predicate)` */
export const none = predicateMethod({
  name: 'none',
  signature: 'list.none(item, predicate)',
  doc: 'Whether the predicate is true for no element. True for an empty list.',
  example: "effects.none(e, e.kind in ['UNKNOWN', 'AUTHORITY'])",
  knownElsewhereAs: ['noneMatch'],
  quantifier: 'no',
  returns: toBool,
  conclude: (kept) => kept.length === 0,
});

/** `list.sum(item, number)` */
export const sum: ListMethod = Object.freeze({
  name: 'sum',
  signature: 'list.sum(item, number)',
  doc: 'The sum of the number over all elements. Zero for an empty list.',
  example: "effects.filter(e, e.kind == 'TRANSFER' && e.asset == ETH).sum(e, e.amount) <= 2 ETH",
  knownElsewhereAs: ['reduce'],
  check: ({ list, args, span, context, checkEach }) => {
    const [variable, number] = args;
    if (variable?.kind !== 'name' || number === undefined || args.length !== 2) return 'WRONG_ARGUMENTS';
    const { slot, body } = checkEach(variable.name, number);
    if (body.type.kind === 'unknown') return undefined;
    if (body.type.kind !== 'int' && body.type.kind !== 'dynamic')
      return context.report('TYPE_MISMATCH', body.span, `\`sum\` adds ints, but this has type ${typeName(body.type)}`);
    return { kind: 'sumOf', list, slot, variable: variable.name, body, type: t.int, span };
  },
} satisfies ListMethod);

/** Every list method, by name. Add new methods here. */
export const listMethods: ReadonlyMap<string, ListMethod> = new Map(
  [all, any, contains, count, filter, none, sum, total].map((method) => [method.name, method]),
);

/** The method that has this name in another language. */
export function methodKnownAs(foreign: string): ListMethod | undefined {
  return [...listMethods.values()].find(({ knownElsewhereAs }) => knownElsewhereAs.includes(foreign));
}
