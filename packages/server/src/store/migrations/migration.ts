/** Parts of a table definition that differ between the engines. */
export interface ColumnTypes {
  /** Text in a key, compared byte by byte. */
  readonly key: string;
  readonly text: string;
  readonly bytes: string;
  readonly integer: string;
  /** Ends the definition of a table with small rows, or rows that are read together by their leading key columns. */
  readonly clustered: string;
  /** Ends the definition of a table with large rows that are mostly appended. */
  readonly heap: string;
}

/**
 * One schema migration. It is applied entirely or not at all, recorded under its id, and never edited after release.
 * `common` runs first, then the statements of the engine.
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

/** PostgreSQL: COLLATE "C" sorts cursors the same on every server, regardless of its locale. */
export const postgresTypes: ColumnTypes = Object.freeze({
  key: 'text COLLATE "C" NOT NULL',
  text: 'text NOT NULL',
  bytes: 'bytea NOT NULL',
  integer: 'bigint NOT NULL',
  clustered: '',
  heap: '',
});
