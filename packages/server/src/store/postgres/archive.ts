import type pg from 'pg';
import type { Store } from '../store.ts';
import { nameList, putInto } from '../table.ts';
import { archived, archives } from '../tables.ts';
import { withSession } from './session.ts';
import { toStored } from './text.ts';
import { toArrays, unnest } from './unnest.ts';

const putFile = putInto(archives, 'VALUES ($1, $2, $3)');
const insertMarks = `INSERT INTO archived (${archived.list})
  SELECT * FROM ${unnest(archived.columns)} AS new (${nameList(archived.columns)})`;
const removeMarked = `DELETE FROM activities AS a USING unnest($1::text[], $2::text[], $3::bigint[], $4::bytea[]) AS m (organization_id, id, revision, mac)
  WHERE a.organization_id = m.organization_id AND a.id = m.id AND a.revision = m.revision AND a.mac = m.mac RETURNING a.id`;

/** See `Store.archive`. */
export function createMove(pool: pg.Pool): Store['archive']['move'] {
  return (file, marks) =>
    withSession(pool, async (session) => {
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
      const isWhole = removed.length === marks.length;
      if (isWhole) session.committing();
      await execute('', isWhole ? 'COMMIT' : 'ROLLBACK', []);
      return isWhole;
    });
}
