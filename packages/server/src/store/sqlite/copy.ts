import { copiedTables, numberedTables } from '../copied-tables.ts';
import { COPIED_AT_ONCE } from '../copy.ts';
import type { Value } from '../statement.ts';
import type { CopiedRows, Maintenance, Store } from '../store.ts';
import { nameList, type TableShape } from '../table.ts';
import { type Database, openDatabase, type Statement } from './driver.ts';
import { toRunError } from './errors.ts';

/**
 * Reads everything in one transaction on a separate connection. In WAL mode it does not block writers, but the log cannot be truncated
 * before it ends.
 */
export async function* readAll(file: string): AsyncGenerator<CopiedRows> {
  const db = openDatabase(file, { readOnly: true });
  try {
    db.exec('BEGIN');
    for (const table of copiedTables) yield* readTable(db, table);
  } catch (error) {
    throw toRunError(error, false);
  } finally {
    db.close();
  }
}

function* readTable(db: Database, table: TableShape): Generator<CopiedRows> {
  let rows: (readonly Value[])[] = [];
  const statement = db.prepare(`SELECT ${nameList(table.columns)} FROM ${table.name}`);
  for (const row of statement.iterate()) {
    rows.push(row as readonly Value[]);
    if (rows.length < COPIED_AT_ONCE) continue;
    yield { table, rows };
    rows = [];
  }
  if (rows.length > 0) yield { table, rows };
}

/** See `Store.maintain`. The store reads through the same connection, so it sees the rows that were put. */
export async function maintain<T>(db: Database, store: () => Store, work: (maintenance: Maintenance) => Promise<T>): Promise<T> {
  const inserts = new Map<string, Statement>();
  const insertOf = (table: TableShape) => {
    const made =
      inserts.get(table.name) ??
      db.prepare(`INSERT INTO ${table.name} (${nameList(table.columns)}) VALUES (${table.columns.map(() => '?').join(', ')})`);
    inserts.set(table.name, made);
    return made;
  };
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = await work({
      store: store(),
      async put({ table, rows }) {
        const insert = insertOf(table);
        for (const row of rows) insert.run(...row);
      },
      async renumber() {
        // `log_queue` has no counter in SQLite.
        continueAfter(db, 'events', numberedTables.events);
      },
      async putSetting(name, body) {
        db.prepare('DELETE FROM settings WHERE name = ?').run(name);
        if (body !== undefined) db.prepare('INSERT INTO settings (name, body) VALUES (?, ?)').run(name, body);
      },
    });
    db.exec('COMMIT');
    return result;
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
  }
}

/** Makes the next number of a table higher than all assigned numbers, including those of rows that moved to another table. */
function continueAfter(db: Database, table: string, counted: readonly string[]): void {
  const highest = Math.max(...counted.map((name) => Number(db.prepare(`SELECT coalesce(max(seq), 0) FROM ${name}`).value())));
  db.prepare('DELETE FROM sqlite_sequence WHERE name = ?').run(table);
  db.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, CAST(? AS INTEGER))').run(table, highest);
}
