import type pg from 'pg';
import { activityTerms } from '../tables.ts';
import type { TermStore } from '../term-store.ts';
import { withSession } from './session.ts';
import { toArrays, unnest } from './unnest.ts';

const begin = "INSERT INTO activity_term_state (name, leaves) VALUES ('terms', 0) ON CONFLICT DO NOTHING";
/** Locks the state until the transaction ends, as for counts. */
const move = "UPDATE activity_term_state SET leaves = $1 WHERE name = 'terms' AND leaves = $2 RETURNING leaves";
const add = `INSERT INTO activity_terms (${activityTerms.list}) SELECT * FROM ${unnest(activityTerms.columns)} ON CONFLICT DO NOTHING`;

/** Writes of the search index. */
export function createTermWriters(pool: pg.Pool): Pick<TermStore, 'add'> {
  return {
    add: (from, to, rows) =>
      withSession(pool, async (session) => {
        const { execute } = session;
        await execute('', 'BEGIN', []);
        await execute('terms_begin', begin, []);
        const moved = await execute('terms_move', move, [to, from]);
        if (moved.length !== 1) {
          await execute('', 'ROLLBACK', []);
          return false;
        }
        await execute('terms_add', add, toArrays(activityTerms.columns, rows.map(activityTerms.encode)));
        session.committing();
        await execute('', 'COMMIT', []);
        return true;
      }),
  };
}
