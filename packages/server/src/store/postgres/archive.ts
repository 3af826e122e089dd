import type pg from 'pg';
import { isInSpanAlone } from '../archive.ts';
import type { MovedActivities, Store } from '../store.ts';
import { nameList, putInto } from '../table.ts';
import { archived, archiveSpans, archives } from '../tables.ts';
import { compact } from './compact.ts';
import { type Execute, withSession } from './session.ts';
import { toStored } from './text.ts';
import { toArrays, unnest } from './unnest.ts';

const putFile = putInto(archives, 'VALUES ($1, $2, $3)');
const insertMarks = `INSERT INTO archived (${archived.list})
  SELECT * FROM ${unnest(archived.columns)} AS new (${nameList(archived.columns)})`;
const removeMarked = `DELETE FROM activities AS a USING unnest($1::text[], $2::text[], $3::bigint[], $4::bytea[]) AS m (organization_id, id, revision, mac)
  WHERE a.organization_id = m.organization_id AND a.id = m.id AND a.revision = m.revision AND a.mac = m.mac RETURNING a.id`;

const removeLeaves = `DELETE FROM log_leaves AS l USING unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[]) AS m (leaf_index, organization_id, activity_id, revision)
  WHERE l.leaf_index = m.leaf_index AND l.organization_id = m.organization_id AND l.activity_id = m.activity_id AND l.revision = m.revision
  RETURNING l.leaf_index`;
const insertSpans = `INSERT INTO archive_spans (${archiveSpans.list})
  SELECT * FROM ${unnest(archiveSpans.columns)} AS new (${nameList(archiveSpans.columns)})`;
const removeMarks = `DELETE FROM archived AS a USING unnest($1::text[], $2::text[]) AS m (organization_id, activity_id)
  WHERE a.organization_id = m.organization_id AND a.activity_id = m.activity_id`;

/** Transactions between two sweeps of the table of marks. */
const VACUUM_EVERY = 8;

/** Replaces leaves and marks by spans. Returns false if a leaf is missing. */
async function moveLeaves(execute: Execute, { marks, leaves, spans }: MovedActivities): Promise<boolean> {
  const removed = await execute('archive_leaves', removeLeaves, [
    leaves.map(({ leafIndex }) => leafIndex),
    leaves.map(({ organizationId }) => toStored(organizationId)),
    leaves.map(({ activityId }) => toStored(activityId)),
    leaves.map(({ revision }) => revision),
  ]);
  if (removed.length !== leaves.length) return false;
  await execute('archive_spans_put', insertSpans, toArrays(archiveSpans.columns, spans.map(archiveSpans.encode)));
  const replaced = marks.filter(isInSpanAlone);
  await execute('archive_marks_remove', removeMarks, [
    replaced.map(({ organizationId }) => toStored(organizationId)),
    replaced.map(({ activityId }) => toStored(activityId)),
  ]);
  return true;
}

/** See `Store.archive`. */
export function createMove(pool: pg.Pool): Store['archive']['move'] {
  let moves = 0;

  /** Marks that spans replace exist for one transaction each. Without this, the table would grow by all of them. */
  async function vacuumMarks(): Promise<void> {
    moves += 1;
    if (moves % VACUUM_EVERY !== 0) return;
    await withSession(pool, ({ execute }) => execute('', 'VACUUM archived', [])).catch(() => undefined); // only space is at stake
  }

  return async (file, { marks, leaves, spans }) => {
    const isMoved = await withSession(pool, async (session) => {
      const { execute } = session;
      await execute('', 'BEGIN', []);
      await execute('archive_file_put', putFile, [toStored(file.name), toStored(file.body), file.mac]);
      await execute('archive_marks', insertMarks, toArrays(archived.columns, marks.map(archived.encode)));
      const removed = await execute('archive_remove', removeMarked, [
        marks.map(({ organizationId }) => toStored(organizationId)),
        marks.map(({ activityId }) => toStored(activityId)),
        marks.map(({ revision }) => revision),
        marks.map(({ activityMac }) => activityMac),
      ]);
      const isWhole =
        removed.length === marks.length && (spans.length === 0 || (await moveLeaves(execute, { marks, leaves, spans })));
      if (isWhole) session.committing();
      await execute('', isWhole ? 'COMMIT' : 'ROLLBACK', []);
      return isWhole;
    });
    if (isMoved && spans.length > 0) await vacuumMarks();
    return isMoved;
  };
}

/** The tables that archiving removes rows of. */
const compacted = [
  { name: 'activities', column: 'mac' },
  { name: 'log_leaves', column: 'commitment' },
  // Marks that spans replace exist for one transaction each.
  { name: 'archived', column: 'mac' },
];

/** Moves rows within their files, so that the files get smaller. It does not block commits. */
export function createReclaim(newClient: () => pg.Client): Store['archive']['reclaim'] {
  return async () => {
    const client = newClient();
    try {
      await client.connect();
      for (const table of compacted) await compact(client, table);
      // The queue is nearly empty, and its file as long as the longest queue.
      await client.query('VACUUM (INDEX_CLEANUP ON, TRUNCATE ON) log_queue');
      return true;
    } finally {
      await client.end().catch(() => undefined);
    }
  };
}
