import { durationAsCount } from '../activity-counts.ts';
import type { CountStore } from '../count-store.ts';
import { activityCounts } from '../tables.ts';
import type { Database } from './driver.ts';
import { createTransaction } from './transaction.ts';

/** Writes of counts. Statements are prepared on first use, because an earlier schema lacks the tables. */
export function createCountWriters(
  db: Database,
  run: <T>(work: () => T) => Promise<T>,
): Pick<CountStore, 'add' | 'addDurations'> {
  const transaction = createTransaction(db);
  const prepare = () => ({
    begin: db.prepare("INSERT INTO activity_count_state (name, leaves) VALUES ('counts', 0) ON CONFLICT DO NOTHING"),
    move: db.prepare("UPDATE activity_count_state SET leaves = ? WHERE name = 'counts' AND leaves = ?"),
    add: db.prepare(
      `INSERT INTO activity_counts (${activityCounts.list}) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (organization_id, hour, type, status) DO UPDATE SET amount = amount + excluded.amount`,
    ),
  });
  let prepared: ReturnType<typeof prepare> | undefined;
  return {
    add: (from, to, counts) =>
      run(() =>
        transaction(() => {
          prepared ??= prepare();
          prepared.begin.run();
          if (prepared.move.run(to, from) !== 1) return false;
          for (const row of counts) prepared.add.run(...activityCounts.encode(row));
          return true;
        }),
      ),
    addDurations: (rows) =>
      run(() =>
        transaction(() => {
          prepared ??= prepare();
          for (const row of rows) prepared.add.run(...activityCounts.encode(durationAsCount(row)));
        }),
      ),
  };
}
