/** What the two engines spell differently in a table definition. */
export interface ColumnTypes {
  /** Text that is a key or part of one: compared byte by byte. */
  readonly key: string;
  readonly text: string;
  readonly bytes: string;
  readonly integer: string;
  /** Ends the definition of a table whose rows are small or are read together by their leading key columns. */
  readonly clustered: string;
  /** Ends the definition of a table whose rows are large and mostly appended. */
  readonly heap: string;
}

/**
 * One step of the schema. Applied whole or not at all, recorded under its id, and never edited once released.
 * `common` runs first, then what the engine needs of its own.
 */
export interface Migration {
  readonly id: number;
  readonly name: string;
  common(types: ColumnTypes): readonly string[];
  readonly sqlite: readonly string[];
  readonly postgres: readonly string[];
}

/** SQLite: STRICT makes a wrong type an error instead of a silent conversion. */
export const sqliteTypes: ColumnTypes = Object.freeze({
  key: 'TEXT NOT NULL',
  text: 'TEXT NOT NULL',
  bytes: 'BLOB NOT NULL',
  integer: 'INTEGER NOT NULL',
  clustered: ' STRICT, WITHOUT ROWID',
  heap: ' STRICT',
});

/** PostgreSQL: COLLATE "C" gives cursors the same order on every server, whatever its locale. */
export const postgresTypes: ColumnTypes = Object.freeze({
  key: 'text COLLATE "C" NOT NULL',
  text: 'text NOT NULL',
  bytes: 'bytea NOT NULL',
  integer: 'bigint NOT NULL',
  clustered: '',
  heap: '',
});
