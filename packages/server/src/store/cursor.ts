import { defineStatement, type Statement, type Value } from './statement.ts';
import type { Page } from './store.ts';

type Shape = 'first' | 'before' | 'after' | 'between';

/**
 * How to read a page: which rows are within its cursors, and in which direction to scan the ids.
 * INVARIANT: lists are newest first, so later items in a list have lower ids.
 */
export interface Cursor {
  readonly shape: Shape;
  /** Conditions on the id column, to append to a WHERE clause. */
  condition(column: string): string;
  readonly direction: 'ASC' | 'DESC';
  /** Parameters of the conditions, in order. */
  readonly params: readonly string[];
  readonly limit: number;
}

/** Throws a `RangeError` unless the limit is a whole number of 1 or more: SQLite would read a negative one as "all rows". */
export function toCursor({ limit, before, after }: Page): Cursor {
  if (!Number.isSafeInteger(limit) || limit < 1) throw new RangeError(`a page has a limit of 1 or more, not ${limit}`);
  if (before !== undefined && after !== undefined) {
    const condition = (column: string) => ` AND ${column} < ? AND ${column} > ?`;
    return { shape: 'between', condition, direction: 'DESC', params: [after, before], limit };
  }
  if (after !== undefined) {
    return { shape: 'after', condition: (column) => ` AND ${column} < ?`, direction: 'DESC', params: [after], limit };
  }
  if (before !== undefined) {
    // The page next to the cursor holds the oldest of the newer items. Scan upwards, then reverse the page.
    return { shape: 'before', condition: (column) => ` AND ${column} > ?`, direction: 'ASC', params: [before], limit };
  }
  return { shape: 'first', condition: () => '', direction: 'DESC', params: [], limit };
}

/** Returns the rows of a page, newest first. */
export function newestFirst<T>(cursor: Cursor, rows: readonly T[]): readonly T[] {
  return cursor.direction === 'ASC' ? rows.toReversed() : rows;
}

/** Defines one statement per page shape. `select` ends with a WHERE clause that fixes everything except the id. */
export function definePaged(name: string, select: string, column: string): (cursor: Cursor) => Statement {
  const made = new Map<Shape, Statement>();
  return (cursor) => {
    const known = made.get(cursor.shape);
    if (known !== undefined) return known;
    const sql = `${select}${cursor.condition(column)} ORDER BY ${column} ${cursor.direction} LIMIT ?`;
    const statement = defineStatement(`${name}_${cursor.shape}`, sql);
    made.set(cursor.shape, statement);
    return statement;
  };
}

/** Parameters of a paged statement: those of `select`, then the cursors, then the limit. */
export function pagedParams(fixed: readonly Value[], cursor: Cursor): readonly Value[] {
  return [...fixed, ...cursor.params, cursor.limit];
}
