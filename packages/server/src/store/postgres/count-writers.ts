import type pg from 'pg';
import { durationAsCount } from '../activity-counts.ts';
import type { CountStore } from '../count-store.ts';
import { activityCounts } from '../tables.ts';
import { withSession } from './session.ts';
import { toArrays, unnest } from './unnest.ts';

const begin = "INSERT INTO activity_count_state (name, leaves) VALUES ('counts', 0) ON CONFLICT DO NOTHING";
/** Locks the state until the transaction ends. A concurrent writer that waited for the lock finds another number and changes nothing. */
const move = "UPDATE activity_count_state SET leaves = $1 WHERE name = 'counts' AND leaves = $2 RETURNING leaves";
const add = `INSERT INTO activity_counts (${activityCounts.list})
  SELECT * FROM ${unnest(activityCounts.columns)} AS new (${activityCounts.list})
  ON CONFLICT (organization_id, hour, type, status) DO UPDATE SET amount = activity_counts.amount + excluded.amount`;

/** Writes of counts. */
export function createCountWriters(pool: pg.Pool): Pick<CountStore, 'add' | 'addDurations'> {
  return {
    add: (from, to, counts) =>
      withSession(pool, async (session) => {
        const { execute } = session;
        await execute('', 'BEGIN', []);
        await execute('counts_begin', begin, []);
        const moved = await execute('counts_move', move, [to, from]);
        if (moved.length !== 1) {
          await execute('', 'ROLLBACK', []);
          return false;
        }
        await execute('counts_add', add, toArrays(activityCounts.columns, counts.map(activityCounts.encode)));
        session.committing();
        await execute('', 'COMMIT', []);
        return true;
      }),
    addDurations: (rows) =>
      withSession(pool, async (session) => {
        session.committing();
        await session.execute(
          'counts_add',
          add,
          toArrays(activityCounts.columns, rows.map(durationAsCount).map(activityCounts.encode)),
        );
      }),
  };
}
