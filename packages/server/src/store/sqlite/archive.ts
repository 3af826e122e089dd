import { isInSpanAlone } from '../archive.ts';
import type { ArchiveRow } from '../rows.ts';
import type { MovedActivities, Store } from '../store.ts';
import { putInto } from '../table.ts';
import { archived, archiveSpans, archives } from '../tables.ts';
import type { Database } from './driver.ts';
import { createTransaction } from './transaction.ts';

/** Rolls the transaction back. */
class Withdrawn extends Error {}

/** See `Store.archive`. Statements are prepared on each use, because an earlier schema lacks the tables. */
export function createMove(db: Database, run: <T>(work: () => T) => Promise<T>): Store['archive']['move'] {
  const transaction = createTransaction(db);

  function write(file: ArchiveRow, { marks, leaves, spans }: MovedActivities): void {
    const insertMark = db.prepare(`INSERT INTO archived (${archived.list}) VALUES (?, ?, ?, ?, ?, ?, ?)`);
    const remove = db.prepare('DELETE FROM activities WHERE organization_id = ? AND id = ? AND revision = ? AND mac = ?');
    db.prepare(putInto(archives, 'VALUES (?, ?, ?)')).run(...archives.encode(file));
    for (const mark of marks) {
      insertMark.run(...archived.encode(mark));
      const removed = remove.run(mark.organizationId, mark.activityId, mark.revision, mark.activityMac);
      if (removed !== 1) throw new Withdrawn();
    }
    if (spans.length === 0) return;
    const insertSpan = db.prepare(
      `INSERT INTO archive_spans (${archiveSpans.list}) VALUES (${archiveSpans.columns.map(() => '?').join(', ')})`,
    );
    const removeLeaf = db.prepare(
      'DELETE FROM log_leaves WHERE leaf_index = ? AND organization_id = ? AND activity_id = ? AND revision = ?',
    );
    const removeMark = db.prepare('DELETE FROM archived WHERE organization_id = ? AND activity_id = ?');
    for (const { leafIndex, organizationId, activityId, revision } of leaves)
      if (removeLeaf.run(leafIndex, organizationId, activityId, revision) !== 1) throw new Withdrawn();
    for (const span of spans) insertSpan.run(...archiveSpans.encode(span));
    for (const { organizationId, activityId } of marks.filter(isInSpanAlone)) removeMark.run(organizationId, activityId);
  }

  return (file, moved) =>
    run(() => {
      try {
        transaction(() => write(file, moved));
        return true;
      } catch (error) {
        if (error instanceof Withdrawn) return false;
        throw error;
      }
    });
}
