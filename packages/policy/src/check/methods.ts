/** A list method: how it is called, what it gives, and what it does. The checker, the reference and the editor read this table. */
export interface MethodSpec {
  readonly name: string;
  readonly arguments: 'none' | 'value' | 'predicate';
  readonly returns: 'bool' | 'int' | 'list';
  readonly signature: string;
  readonly doc: string;
}

/** The list methods of the language. `count` may also be written without parentheses. */
export const methods = {
  all: {
    name: 'all',
    arguments: 'predicate',
    returns: 'bool',
    signature: 'list.all(item, predicate)',
    doc: 'Whether the predicate is true for every element. True for an empty list.',
  },
  any: {
    name: 'any',
    arguments: 'predicate',
    returns: 'bool',
    signature: 'list.any(item, predicate)',
    doc: 'Whether the predicate is true for at least one element.',
  },
  contains: {
    name: 'contains',
    arguments: 'value',
    returns: 'bool',
    signature: 'list.contains(value)',
    doc: 'Whether the list holds the value.',
  },
  count: { name: 'count', arguments: 'none', returns: 'int', signature: 'list.count()', doc: 'The number of elements.' },
  filter: {
    name: 'filter',
    arguments: 'predicate',
    returns: 'list',
    signature: 'list.filter(item, predicate)',
    doc: 'The elements for which the predicate is true.',
  },
} as const satisfies Record<string, MethodSpec>;

export type MethodName = keyof typeof methods;
