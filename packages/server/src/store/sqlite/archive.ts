import type { ArchivedRow, ArchiveRow } from '../rows.ts';
import type { Store } from '../store.ts';
import { putInto } from '../table.ts';
import { archived, archives } from '../tables.ts';
import type { Database } from './driver.ts';
import { createTransaction } from './transaction.ts';

/** Rolls the transaction back. */
class Withdrawn extends Error {}

/** See `Store.archive`. Statements are prepared on each use, because an earlier schema lacks the tables. */
export function createMove(db: Database, run: <T>(work: () => T) => Promise<T>): Store['archive']['move'] {
  const transaction = createTransaction(db);

  function write(file: ArchiveRow, marks: readonly ArchivedRow[]): void {
    const insertMark = db.prepare(`INSERT INTO archived (${archived.list}) VALUES (?, ?, ?, ?, ?, ?, ?)`);
    const remove = db.prepare('DELETE FROM activities WHERE organization_id = ? AND id = ? AND revision = ? AND mac = ?');
    db.prepare(putInto(archives, 'VALUES (?, ?, ?)')).run(...archives.encode(file));
    for (const mark of marks) {
      insertMark.run(...archived.encode(mark));
      const removed = remove.run(mark.organizationId, mark.activityId, mark.revision, mark.activityMac);
      if (removed !== 1) throw new Withdrawn();
    }
  }

  return (file, marks) =>
    run(() => {
      try {
        transaction(() => write(file, marks));
        return true;
      } catch (error) {
        if (error instanceof Withdrawn) return false;
        throw error;
      }
    });
}
