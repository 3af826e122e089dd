import { activityTerms } from '../tables.ts';
import type { TermStore } from '../term-store.ts';
import type { Database } from './driver.ts';
import { createTransaction } from './transaction.ts';

/** Writes of the search index. Statements are prepared on first use, because an earlier schema lacks the tables. */
export function createTermWriters(db: Database, run: <T>(work: () => T) => Promise<T>): Pick<TermStore, 'add'> {
  const transaction = createTransaction(db);
  const prepare = () => ({
    begin: db.prepare("INSERT INTO activity_term_state (name, leaves) VALUES ('terms', 0) ON CONFLICT DO NOTHING"),
    move: db.prepare("UPDATE activity_term_state SET leaves = ? WHERE name = 'terms' AND leaves = ?"),
    add: db.prepare(`INSERT INTO activity_terms (${activityTerms.list}) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`),
  });
  let prepared: ReturnType<typeof prepare> | undefined;
  return {
    add: (from, to, rows) =>
      run(() =>
        transaction(() => {
          prepared ??= prepare();
          prepared.begin.run();
          if (prepared.move.run(to, from) !== 1) return false;
          for (const row of rows) prepared.add.run(...activityTerms.encode(row));
          return true;
        }),
      ),
  };
}
