import type { LogStep } from '../log-store.ts';
import type { Value } from '../statement.ts';
import type { Store } from '../store.ts';
import { nameList, putInto, type TableShape } from '../table.ts';
import { logHeads, logLeaves, logMap, logState, logTiles } from '../tables.ts';
import type { Database, Statement } from './driver.ts';
import { createTransaction } from './transaction.ts';

/** Rolls the transaction back. */
class Withdrawn extends Error {
  readonly outcome: 'MOVED' | 'DOUBLED';

  constructor(outcome: 'MOVED' | 'DOUBLED') {
    super(outcome);
    this.outcome = outcome;
  }
}

const insertInto = (table: TableShape) =>
  `INSERT INTO ${table.name} (${nameList(table.columns)}) VALUES (${table.columns.map(() => '?').join(', ')})`;
const put = (table: TableShape) => putInto(table, `VALUES (${table.columns.map(() => '?').join(', ')})`);

/** Writes of the log. Statements are prepared on first use, because an earlier schema lacks the tables. */
export function createLogWriters(
  db: Database,
  run: <T>(work: () => T) => Promise<T>,
): Pick<Store['log'], 'integrate' | 'stage' | 'refuse'> {
  const transaction = createTransaction(db);
  const prepare = () => ({
    insertState: db.prepare(`${insertInto(logState)} ON CONFLICT DO NOTHING`),
    updateState: db.prepare(
      "UPDATE log_state SET size = ?, root = ?, frontier = ?, map_root = ?, mac = ? WHERE name = 'log' AND size = ? AND root = ?",
    ),
    selectState: db.prepare("SELECT size FROM log_state WHERE name = 'log' AND size = ? AND root = ?"),
    insertLeaf: db.prepare(`${insertInto(logLeaves)} ON CONFLICT DO NOTHING`),
    putTile: db.prepare(put(logTiles)),
    putHead: db.prepare(put(logHeads)),
    putNode: db.prepare(put(logMap)),
    dequeue: db.prepare('DELETE FROM log_queue WHERE seq = ?'),
    dequeueSame: db.prepare('DELETE FROM log_queue WHERE seq = ? AND mac = ?'),
    // Assigns a new number, because the queue reuses the old one once it is empty.
    keepRefused: db.prepare(
      'INSERT INTO log_refused (organization_id, activity_id, revision, format, body, mac) VALUES (?, ?, ?, ?, ?, ?)',
    ),
  });
  let prepared: ReturnType<typeof prepare> | undefined;
  const statements = () => {
    prepared ??= prepare();
    return prepared;
  };

  function write({ expected, state, leaves, tiles, heads, map, taken }: LogStep): void {
    const { insertState, updateState, insertLeaf, putTile, putHead, putNode, dequeue } = statements();
    const changes =
      expected === undefined
        ? insertState.run(...logState.encode(state))
        : updateState.run(state.size, state.root, state.frontier, state.mapRoot, state.mac, expected.size, expected.root);
    if (changes !== 1) throw new Withdrawn('MOVED');
    const once = (statement: Statement, ...values: readonly Value[]) => {
      if (statement.run(...values) !== 1) throw new Withdrawn('DOUBLED');
    };
    for (const leaf of leaves) once(insertLeaf, ...logLeaves.encode(leaf));
    for (const tile of tiles) putTile.run(...logTiles.encode(tile));
    for (const head of heads) putHead.run(...logHeads.encode(head));
    for (const node of map) putNode.run(...logMap.encode(node));
    for (const seq of taken) once(dequeue, seq);
  }

  return {
    integrate: (step) =>
      run(() => {
        try {
          transaction(() => write(step));
          return 'TAKEN';
        } catch (error) {
          if (error instanceof Withdrawn) return error.outcome;
          throw error;
        }
      }),
    stage: ({ expected, heads, map }) =>
      run(() =>
        transaction(() => {
          const { selectState, putHead, putNode } = statements();
          if (selectState.row(expected.size, expected.root) === undefined) return false;
          for (const head of heads) putHead.run(...logHeads.encode(head));
          for (const node of map) putNode.run(...logMap.encode(node));
          return true;
        }),
      ),
    refuse: (entries) =>
      run(() =>
        transaction(() => {
          const { dequeueSame, keepRefused } = statements();
          for (const entry of entries) {
            const { seq, mac, organizationId, activityId, revision, format, body } = entry;
            if (dequeueSame.run(seq, mac) === 1) keepRefused.run(organizationId, activityId, revision, format, body, mac);
          }
        }),
      ),
  };
}
