import { packedRange } from './packed-opening.ts';
import { defineStatement, type Read, type Row, type Value } from './statement.ts';
import type { Store } from './store.ts';
import { toInteger, toText } from './table.ts';
import { archiveSpans, logHeads, logLeaves, logMap, logQueue, logState, logTiles } from './tables.ts';

/** Keys per statement. Both engines accept many more parameters. */
const MAX_KEYS = 256;

const state = defineStatement('log_state', `SELECT ${logState.list} FROM log_state WHERE name = 'log'`);
const queued = defineStatement('log_queued', `SELECT ${logQueue.list} FROM log_queue ORDER BY seq LIMIT ?`);
const queuedAbout = defineStatement(
  'log_queued_about',
  `SELECT ${logQueue.list} FROM log_queue WHERE organization_id = ? OR body LIKE ? ORDER BY seq`,
);
const queuedOrganizations = defineStatement(
  'log_queued_organizations',
  'SELECT organization_id FROM log_queue ORDER BY seq LIMIT ?',
);
const enqueue = defineStatement(
  'log_enqueue',
  'INSERT INTO log_queue (organization_id, activity_id, revision, format, body, mac) VALUES (?, ?, ?, ?, ?, ?) RETURNING seq',
);
const requeue = defineStatement('log_requeue', 'UPDATE log_queue SET format = ?, body = ?, mac = ? WHERE seq = ? RETURNING seq');
const scanHeads = defineStatement(
  'log_scan_heads',
  `SELECT ${logHeads.list} FROM log_heads WHERE organization_id > ? ORDER BY organization_id LIMIT ?`,
);
const refusedCount = defineStatement('log_refused_count', 'SELECT count(*) AS count FROM log_refused');
const leaves = defineStatement(
  'log_leaves',
  `SELECT ${logLeaves.list} FROM log_leaves WHERE leaf_index >= ? AND leaf_index < ? ORDER BY leaf_index`,
);
const NEEDED = 'ACTIVITY_STATUS_CONSENSUS_NEEDED';
const COMPLETED = 'ACTIVITY_STATUS_COMPLETED';
const isPacked = '(packed >= ? AND packed < ?)';
// Openings are canonical JSON, so no string inside contains an unescaped quotation mark.
const waitingLeaves = defineStatement(
  'log_waiting_leaves',
  `SELECT organization_id, activity_id FROM log_leaves WHERE leaf_index >= ? AND leaf_index < ?
   AND (${isPacked} OR opening LIKE '%"status":"${NEEDED}"%') ORDER BY leaf_index`,
);
const freezes = ['ACTIVITY_TYPE_FREEZE', 'ACTIVITY_TYPE_UNFREEZE'];
// The type comes before the status in openings of both versions.
const freezeLeaves = defineStatement(
  'log_freeze_leaves',
  `SELECT DISTINCT organization_id FROM log_leaves WHERE leaf_index >= ? AND leaf_index < ?
   AND (${freezes.map((type) => `${isPacked} OR opening LIKE '%"type":"${type}","status":"${COMPLETED}"%'`).join(' OR ')})`,
);
const freezeRanges = freezes.flatMap((type) => packedRange(COMPLETED, type));
const leavesOf = defineStatement(
  'log_leaves_of',
  `SELECT ${logLeaves.list} FROM log_leaves WHERE organization_id = ? AND sequence >= ? ORDER BY sequence LIMIT ?`,
);
const ofActivity = `SELECT ${logLeaves.list} FROM log_leaves WHERE organization_id = ? AND activity_id = ?`;
const leafOf = defineStatement('log_leaf_of', `${ofActivity} AND revision = ?`);
const newestLeafOf = defineStatement('log_newest_leaf_of', `${ofActivity} ORDER BY revision DESC LIMIT 1`);
const leafCount = defineStatement('log_leaf_count', 'SELECT count(*) AS count FROM log_leaves WHERE organization_id = ?');
const spans = `SELECT ${archiveSpans.list} FROM archive_spans WHERE`;
const spansAround = defineStatement(
  'spans_around',
  `${spans} organization_id = ? AND last_id >= ? AND first_id <= ? ORDER BY last_id, archive`,
);
const spansOf = defineStatement(
  'spans_of',
  `${spans} organization_id = ? AND last_sequence >= ? AND first_sequence < ? ORDER BY last_sequence`,
);
const spansBetween = defineStatement('spans_between', `${spans} last_leaf >= ? AND first_leaf < ? ORDER BY last_leaf`);
const hasUnlogged = defineStatement(
  'log_unlogged',
  `SELECT 1 AS found FROM activities a
   WHERE NOT EXISTS (SELECT 1 FROM log_leaves l WHERE l.organization_id = a.organization_id AND l.activity_id = a.id)
     AND NOT EXISTS (SELECT 1 FROM log_queue q WHERE q.organization_id = a.organization_id AND q.activity_id = a.id) LIMIT 1`,
);

/** Reads of the log, and `enqueue`, shared by both engines. */
export function createLogReaders(read: Read): Omit<Store['log'], 'integrate' | 'stage' | 'refuse' | 'noteSize'> {
  const decodeFirst = <T>([row]: readonly Row[], decode: (row: Row) => T) => (row === undefined ? undefined : decode(row));

  /** Runs one statement per `MAX_KEYS` keys. `sql` builds it for a number of keys. */
  async function readMany(groups: readonly (readonly Value[])[], sql: (count: number) => string): Promise<readonly Row[]> {
    const rows: Row[] = [];
    for (let at = 0; at < groups.length; at += MAX_KEYS) {
      const part = groups.slice(at, at + MAX_KEYS);
      rows.push(...(await read({ sql: sql(part.length) }, part.flat())));
    }
    return rows;
  }
  const marks = (mark: string, count: number) => Array.from({ length: count }, () => mark).join(', ');

  return {
    state: async () => decodeFirst(await read(state, []), logState.decode),
    queued: async (limit) => (await read(queued, [limit])).map(logQueue.decode),
    queuedAbout: async (text) => (await read(queuedAbout, [text, `%${text}%`])).map(logQueue.decode),
    queuedOrganizations: async (limit) => (await read(queuedOrganizations, [limit])).map((row) => toText(row, 'organization_id')),
    async enqueue({ organizationId, activityId, revision, format, body, mac }) {
      await read(enqueue, [organizationId, activityId, revision, format, body, mac]);
    },
    async requeue(entries) {
      for (const { seq, format, body, mac } of entries) await read(requeue, [format, body, mac, seq]);
    },
    refusedCount: async () => (await read(refusedCount, [])).reduce((_, row) => toInteger(row, 'count'), 0),
    async heads(organizationIds) {
      const rows = await readMany(
        organizationIds.map((id) => [id]),
        (count) => `SELECT ${logHeads.list} FROM log_heads WHERE organization_id IN (${marks('?', count)})`,
      );
      return rows.map(logHeads.decode);
    },
    scanHeads: async (afterId, limit) => (await read(scanHeads, [afterId, limit])).map(logHeads.decode),
    async mapNodes(prefixes) {
      const rows = await readMany(
        prefixes.map((prefix) => [prefix]),
        (count) => `SELECT ${logMap.list} FROM log_map WHERE prefix IN (${marks('?', count)})`,
      );
      return rows.map(logMap.decode);
    },
    async tiles(keys) {
      // Compare each value separately: PostgreSQL cannot infer the types of parameters in a list of rows.
      const rows = await readMany(
        keys.map(({ level, tileIndex }) => [level, tileIndex]),
        (count) =>
          `SELECT ${logTiles.list} FROM log_tiles WHERE ${Array.from({ length: count }, () => '(level = ? AND tile_index = ?)').join(' OR ')}`,
      );
      return rows.map(logTiles.decode);
    },
    leaves: async (start, end) => (await read(leaves, [start, end])).map(logLeaves.decode),
    openings: async (start, end) => (await read(leaves, [start, end])).map(logLeaves.decode),
    waitingLeaves: async (start, end) =>
      (await read(waitingLeaves, [start, end, ...packedRange(NEEDED)])).map((row) => ({
        organizationId: toText(row, 'organization_id'),
        activityId: toText(row, 'activity_id'),
      })),
    freezeLeaves: async (start, end) =>
      (await read(freezeLeaves, [start, end, ...freezeRanges])).map((row) => toText(row, 'organization_id')),
    leavesOf: async (organizationId, from, limit) => (await read(leavesOf, [organizationId, from, limit])).map(logLeaves.decode),
    async leafOf(organizationId, activityId, revision) {
      const rows =
        revision === undefined
          ? read(newestLeafOf, [organizationId, activityId])
          : read(leafOf, [organizationId, activityId, revision]);
      return decodeFirst(await rows, logLeaves.decode);
    },
    leafCount: async (organizationId) => (await read(leafCount, [organizationId])).reduce((_, row) => toInteger(row, 'count'), 0),
    spansAround: async (organizationId, activityId) =>
      (await read(spansAround, [organizationId, activityId, activityId])).map(archiveSpans.decode),
    spansOf: async (organizationId, from, below) => (await read(spansOf, [organizationId, from, below])).map(archiveSpans.decode),
    spansBetween: async (start, end) => (await read(spansBetween, [start, end])).map(archiveSpans.decode),
    hasUnlogged: async () => (await read(hasUnlogged, [])).length > 0,
  };
}
