/** A value as both engines take and give it. Integers are numbers within the safe range, bytes plain `Uint8Array`s. */
export type Value = string | number | Uint8Array;

/** A row as an adapter hands it over: text, numbers and plain bytes only. */
export type Row = Readonly<Record<string, Value>>;

/**
 * SQL that both engines understand, with `?` for each parameter in order. A name marks a statement of fixed text that is
 * worth keeping prepared; without one it is prepared for the occasion.
 */
export interface Statement {
  readonly sql: string;
  readonly name?: string;
}

/** Runs one statement and gives its rows. One statement sees one instant of the database. */
export type Read = (statement: Statement, params: readonly Value[]) => Promise<readonly Row[]>;

/** A statement of fixed text. */
export function defineStatement(name: string, sql: string): Statement {
  return Object.freeze({ name, sql });
}

/** The same text with PostgreSQL's numbered parameters. */
export function withNumberedParameters(sql: string): string {
  let count = 0;
  return sql.replace(/\?/g, () => {
    count += 1;
    return `$${count}`;
  });
}
