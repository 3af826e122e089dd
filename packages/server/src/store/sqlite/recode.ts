import { recodeInto } from '../recode.ts';
import type { Store } from '../store.ts';
import type { Database, Statement } from './driver.ts';
import { createTransaction } from './transaction.ts';

/** Writes of a migration of contents. */
export function createRecodeWriters(
  db: Database,
  run: <T>(work: () => T) => Promise<T>,
): Pick<Store['recode'], 'replace' | 'scrub'> {
  const transaction = createTransaction(db);
  const prepared = new Map<string, Statement>();
  const prepare = (sql: string) => {
    const statement = prepared.get(sql) ?? db.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };
  return {
    replace: (table, column, texts) =>
      run(() =>
        transaction(() => {
          const update = prepare(recodeInto(table, column));
          for (const { key, from, to } of texts) update.run(to, ...key, from);
        }),
      ),
    /** VACUUM writes every page again, and the checkpoint overwrites the file and empties the log. Free pages disappear with it. */
    scrub: () =>
      run(() => {
        db.exec('VACUUM');
        return Number(db.pragma('wal_checkpoint(TRUNCATE)')) === 0;
      }),
  };
}
