import type pg from 'pg';
import type { LogStep } from '../log-store.ts';
import type { Store } from '../store.ts';
import { nameList, putInto, type TableShape } from '../table.ts';
import { logHeads, logLeaves, logMap, logQueue, logState, logTiles } from '../tables.ts';
import { type Execute, type Session, transaction, withSession } from './session.ts';
import { toArrays, unnest } from './unnest.ts';

const rowsOf = (table: TableShape) => `SELECT * FROM ${unnest(table.columns)} AS new (${nameList(table.columns)})`;
const insertState = `INSERT INTO log_state (${logState.list}) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING size`;
/** Locks the state until the transaction ends. A concurrent writer that waited for the lock finds another size and changes nothing. */
const updateState = `UPDATE log_state SET size = $1, root = $2, frontier = $3, map_root = $4, mac = $5
  WHERE name = 'log' AND size = $6 AND root = $7 RETURNING size`;
const lockState = "SELECT size FROM log_state WHERE name = 'log' AND size = $1 AND root = $2 FOR UPDATE";
const insertLeaves = `INSERT INTO log_leaves (${logLeaves.list}) ${rowsOf(logLeaves)} ON CONFLICT DO NOTHING RETURNING leaf_index`;
const putTiles = putInto(logTiles, rowsOf(logTiles));
const putHeads = putInto(logHeads, rowsOf(logHeads));
const putNodes = putInto(logMap, rowsOf(logMap));
const dequeue = 'DELETE FROM log_queue WHERE seq = ANY ($1::bigint[]) RETURNING seq';
const kept = nameList(logQueue.columns.slice(logQueue.key.length));
/** Assigns an unused number: in a copy from SQLite, a queued entry may have the number of a rejected one. */
const refuse = `WITH gone AS (
    DELETE FROM log_queue USING unnest($1::bigint[], $2::bytea[]) AS bad (seq, mac)
    WHERE log_queue.seq = bad.seq AND log_queue.mac = bad.mac RETURNING log_queue.*
  ) INSERT INTO log_refused (seq, ${kept}) SELECT nextval(pg_get_serial_sequence('log_queue', 'seq')), ${kept} FROM gone`;

/** Writes of the log. */
export function createLogWriters(pool: pg.Pool): Pick<Store['log'], 'integrate' | 'stage' | 'refuse'> {
  return {
    integrate: (step) => withSession(pool, (session) => integrate(session, step)),
    stage: (rows) =>
      withSession(pool, (session) =>
        transaction(session, async (execute) => {
          const { size, root } = rows.expected;
          if ((await execute('log_lock_state', lockState, [size, root])).length !== 1) return false;
          await putHeadsAndNodes(execute, rows);
          return true;
        }),
      ),
    async refuse(entries) {
      if (entries.length === 0) return;
      const params = [entries.map(({ seq }) => seq), entries.map(({ mac }) => mac)];
      await withSession(pool, ({ execute }) => execute('log_refuse', refuse, params));
    },
  };
}

async function integrate(session: Session, step: LogStep): Promise<'TAKEN' | 'MOVED' | 'DOUBLED'> {
  const { execute } = session;
  await execute('', 'BEGIN', []);
  const outcome = await write(execute, step);
  if (outcome === 'TAKEN') session.committing();
  await execute('', outcome === 'TAKEN' ? 'COMMIT' : 'ROLLBACK', []);
  return outcome;
}

async function write(
  execute: Execute,
  { expected, state, leaves, tiles, heads, map, taken }: LogStep,
): Promise<'TAKEN' | 'MOVED' | 'DOUBLED'> {
  const { size, root, frontier, mapRoot, mac } = state;
  const moved =
    expected === undefined
      ? await execute('log_insert_state', insertState, logState.encode(state))
      : await execute('log_update_state', updateState, [size, root, frontier, mapRoot, mac, expected.size, expected.root]);
  if (moved.length !== 1) return 'MOVED';
  const inserted = await execute('log_insert_leaves', insertLeaves, toArrays(logLeaves.columns, leaves.map(logLeaves.encode)));
  if (inserted.length !== leaves.length) return 'DOUBLED';
  await execute('log_put_tiles', putTiles, toArrays(logTiles.columns, tiles.map(logTiles.encode)));
  await putHeadsAndNodes(execute, { heads, map });
  const gone = await execute('log_dequeue', dequeue, [taken]);
  return gone.length === taken.length ? 'TAKEN' : 'DOUBLED';
}

async function putHeadsAndNodes(execute: Execute, { heads, map }: Pick<LogStep, 'heads' | 'map'>): Promise<void> {
  if (heads.length > 0) await execute('log_put_heads', putHeads, toArrays(logHeads.columns, heads.map(logHeads.encode)));
  if (map.length > 0) await execute('log_put_nodes', putNodes, toArrays(logMap.columns, map.map(logMap.encode)));
}
