/** A value in both engines. Integers are numbers within the safe range, bytes are plain `Uint8Array`s. */
export type Value = string | number | Uint8Array;

/** A row from an adapter: only text, numbers and plain bytes. */
export type Row = Readonly<Record<string, Value>>;

/**
 * SQL that both engines understand, with `?` for each parameter in order. A named statement has fixed text. The text of an unnamed one
 * depends on the number of parameters only: SQLite prepares each text once, PostgreSQL for each use.
 */
export interface Statement {
  readonly sql: string;
  readonly name?: string;
}

/** Runs one statement and returns its rows. Each statement reads one snapshot of the database. */
export type Read = (statement: Statement, params: readonly Value[]) => Promise<readonly Row[]>;

/** Defines a statement with fixed text. */
export function defineStatement(name: string, sql: string): Statement {
  return Object.freeze({ name, sql });
}

/** Replaces each `?` with PostgreSQL's numbered parameters. */
export function withNumberedParameters(sql: string): string {
  let count = 0;
  return sql.replace(/\?/g, () => {
    count += 1;
    return `$${count}`;
  });
}
