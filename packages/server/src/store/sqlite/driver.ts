import { resolve } from 'node:path';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import type { Value } from '../statement.ts';
import { loadDriver } from './load-driver.ts';
import { fromStored, toStored } from './text.ts';

/** A value in a row. An integer beyond the safe range is rounded to a number beyond it. The tables of the store have no NULL, but aggregates and pragmas may. */
export type Cell = Value | null;

export interface OpenOptions {
  readonly readOnly?: boolean;
  /** How many milliseconds the engine waits for a lock. */
  readonly timeout?: number;
}

/** Opens or creates a file. Only this module uses the driver, and its errors have SQLite's result codes as `code`. */
export function openDatabase(file: string, options: OpenOptions = {}): Database {
  const { DatabaseSync } = loadDriver();
  try {
    // SECURITY: an absolute path is never read as a URI, whose parameters could disable locks.
    return new Database(new DatabaseSync(resolve(file), options));
  } catch (error) {
    throw withCode(error);
  }
}

export class Database {
  readonly #db: DatabaseSyncInstance;

  constructor(db: DatabaseSyncInstance) {
    this.#db = db;
  }

  get isOpen(): boolean {
    return this.#db.isOpen;
  }

  get isTransaction(): boolean {
    return this.#db.isTransaction;
  }

  /** Runs statements without parameters. */
  exec(sql: string): void {
    try {
      this.#db.exec(sql);
    } catch (error) {
      throw withCode(error);
    }
  }

  prepare(sql: string): Statement {
    try {
      return new Statement(this.#db.prepare(sql));
    } catch (error) {
      throw withCode(error);
    }
  }

  /** Sets or reads a pragma. Returns the first value of the answer. */
  pragma(text: string): Cell | undefined {
    return this.prepare(`PRAGMA ${text}`).value();
  }

  /** Ends an open transaction without its changes, and releases all locks. */
  close(): void {
    this.#db.close();
  }
}

/** A prepared statement. Rows are arrays, because row objects of the driver take longer to create and to read. */
export class Statement {
  readonly #statement: StatementSyncInstance;

  constructor(statement: StatementSyncInstance) {
    this.#statement = statement;
    statement.setReturnArrays(true);
    // Otherwise one integer beyond the safe range makes the read of all rows fail.
    statement.setReadBigInts(true);
  }

  /** The names of the columns. */
  columns(): readonly string[] {
    return this.#statement.columns().map(({ name }) => name);
  }

  /** Runs the statement and returns the number of changed rows. */
  run(...values: Value[]): number {
    try {
      return Number(this.#statement.run(...encoded(values)).changes);
    } catch (error) {
      throw withCode(error);
    }
  }

  /** The first row. */
  row(...values: Value[]): readonly Cell[] | undefined {
    try {
      const row: (Cell | bigint)[] | undefined = this.#statement.get(...encoded(values));
      return row && decoded(row);
    } catch (error) {
      throw withCode(error);
    }
  }

  /** The first column of the first row. */
  value(...values: Value[]): Cell | undefined {
    return this.row(...values)?.[0];
  }

  rows(...values: Value[]): readonly (readonly Cell[])[] {
    try {
      const rows: (Cell | bigint)[][] = this.#statement.all(...encoded(values));
      for (const row of rows) decoded(row);
      return rows as Cell[][];
    } catch (error) {
      throw withCode(error);
    }
  }

  /** Reads one row after another. */
  *iterate(): Generator<readonly Cell[]> {
    try {
      for (const row of this.#statement.iterate()) yield decoded(row);
    } catch (error) {
      throw withCode(error);
    }
  }
}

/** Encodes texts in place. */
function encoded(values: Value[]): Value[] {
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (typeof value === 'string') values[at] = toStored(value);
  }
  return values;
}

/** Decodes texts and integers in place. */
function decoded(row: (Cell | bigint)[]): Cell[] {
  for (let at = 0; at < row.length; at++) {
    const cell = row[at];
    if (typeof cell === 'string') row[at] = fromStored(cell);
    else if (typeof cell === 'bigint') row[at] = Number(cell);
  }
  return row as Cell[];
}

/** https://www.sqlite.org/rescode.html, by number. The lowest eight bits of an extended code are one of these. */
const names = [
  'OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL EMPTY SCHEMA',
  'TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB',
].flatMap((line) => line.split(' '));

/** Gives an error of the driver, which has a number, a code such as `SQLITE_FULL`. */
function withCode(error: unknown): unknown {
  if (error instanceof Error && 'errcode' in error && typeof error.errcode === 'number') {
    Object.assign(error, { code: `SQLITE_${names[error.errcode & 0xff] ?? 'ERROR'}` });
  }
  return error;
}
