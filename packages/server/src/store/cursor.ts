import { defineStatement, type Statement, type Value } from './statement.ts';
import type { Page } from './store.ts';

type Shape = 'first' | 'before' | 'after' | 'between';

/**
 * How a page reads: which rows lie within its cursors, and in which direction to walk along the ids.
 * INVARIANT: lists are newest first, so the items that follow one in a list have lower ids.
 */
export interface Cursor {
  readonly shape: Shape;
  /** Conditions on the id column, for appending to others. */
  condition(column: string): string;
  readonly direction: 'ASC' | 'DESC';
  /** The values of the conditions, in order. */
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
    // The page next to the cursor holds the oldest of the newer items. Walk upwards, then reverse the page.
    return { shape: 'before', condition: (column) => ` AND ${column} > ?`, direction: 'ASC', params: [before], limit };
  }
  return { shape: 'first', condition: () => '', direction: 'DESC', params: [], limit };
}

/** The rows of a page as the caller gets them: newest first. */
export function newestFirst<T>(cursor: Cursor, rows: readonly T[]): readonly T[] {
  return cursor.direction === 'ASC' ? rows.toReversed() : rows;
}

/** Makes the statement of a listing for each shape of page. `select` ends in a WHERE clause that fixes everything but the id. */
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

/** The parameters of a paged statement: what `select` needs, then the cursors, then the limit. */
export function pagedParams(fixed: readonly Value[], cursor: Cursor): readonly Value[] {
  return [...fixed, ...cursor.params, cursor.limit];
}
