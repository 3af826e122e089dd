import Database from 'better-sqlite3';

/** Driver objects that stay reachable until the process exits. */
const retained: object[] = [];

/**
 * Keeps an object of the driver from being garbage-collected. Node 24.19 and later abort the process when they collect an object of an
 * addon that was compiled against their headers (https://github.com/nodejs/node/issues/65446).
 * INVARIANT: the number of objects is bounded, so a statement that is used repeatedly is prepared once.
 */
export function retain<T extends object>(object: T): T {
  retained.push(object);
  return object;
}

/** Opens a connection whose statements are retained. */
export function openDatabase(file: string, options: Database.Options): Database.Database {
  const db = retain(new Database(file, options));
  const prepare = db.prepare.bind(db) as (sql: string) => Database.Statement;
  return Object.assign(db, {
    prepare: (sql: string) => retain(prepare(sql)),
    // The driver's own method prepares a statement that this module cannot retain.
    pragma(text: string) {
      const statement = db.prepare(`PRAGMA ${text}`);
      return statement.reader ? statement.pluck().get() : statement.run();
    },
  });
}
