import { defineStatement, type Read, type Row } from './statement.ts';
import { toText } from './table.ts';
import { usagePoints } from './tables.ts';
import type { UsageStore } from './usage-store.ts';

/** Buckets per statement. */
const MAX_BUCKETS = 64;

const ofBucket = `SELECT ${usagePoints.list} FROM usage_points WHERE organization_id = ? AND bucket = ?`;
const newest = defineStatement('usage_newest', `${ofBucket} ORDER BY revision DESC LIMIT 1`);
const edge = (which: string) => `SELECT ${which}(revision) FROM usage_points WHERE organization_id = ? AND bucket = ?`;
// INVARIANT: revisions of a bucket have no gaps, and its times follow the order of its revisions. So a binary search over revisions finds
// the first point that is not before the time: its revision is at least `low` and at most `high`.
// SECURITY: the rows that the search visits are not authenticated. The row that it returns is, including its time. So an attacker who
// edits other rows can make the search end too early and the window too large, but never too small.
const lastBefore = defineStatement(
  'usage_last_before',
  `WITH RECURSIVE halved (low, high) AS (
     SELECT (${edge('min')}) AS low, (${edge('max')}) + 1 AS high
     UNION ALL SELECT CASE WHEN p.at_ms < ? THEN p.revision + 1 ELSE low END, CASE WHEN p.at_ms < ? THEN high ELSE p.revision END
     FROM halved JOIN usage_points AS p ON p.organization_id = ? AND p.bucket = ? AND p.revision = (low + high) / 2 WHERE low < high
   ) ${ofBucket} AND revision = (SELECT low - 1 FROM halved WHERE low >= high) AND at_ms < ?`,
);
const after = defineStatement('usage_after', `${ofBucket} AND revision > ? ORDER BY revision LIMIT ?`);
// Steps from bucket to bucket with one index seek each, regardless of the number of points.
const nextBucket = 'SELECT bucket FROM usage_points WHERE organization_id = ? AND bucket > ';
const walk = defineStatement(
  'usage_buckets',
  `WITH RECURSIVE walked (bucket) AS (
     SELECT (${nextBucket} ? ORDER BY bucket LIMIT 1) AS bucket
     UNION ALL SELECT (${nextBucket} walked.bucket ORDER BY bucket LIMIT 1) AS bucket FROM walked WHERE walked.bucket IS NOT NULL
   ) SELECT bucket FROM walked WHERE bucket IS NOT NULL LIMIT ?`,
);
const sweep = defineStatement(
  'usage_sweep',
  `DELETE FROM usage_points WHERE organization_id = ? AND bucket = ? AND revision < ? AND revision < (
     SELECT min(revision) FROM usage_points WHERE organization_id = ? AND bucket = ?) + ? RETURNING revision`,
);

/** Usage reads and the sweep, shared by both engines. */
export function createUsage(read: Read): UsageStore {
  const decodeFirst = ([row]: readonly Row[]) => (row === undefined ? undefined : usagePoints.decode(row));
  return {
    async newest(buckets) {
      const [only] = buckets;
      if (only !== undefined && buckets.length === 1)
        return (await read(newest, [only.organizationId, only.bucket])).map(usagePoints.decode);
      const rows: Row[] = [];
      for (let at = 0; at < buckets.length; at += MAX_BUCKETS) {
        const part = buckets.slice(at, at + MAX_BUCKETS);
        const sql = part.map(() => `SELECT * FROM (${newest.sql}) AS newest`).join(' UNION ALL ');
        rows.push(
          ...(await read(
            { sql },
            part.flatMap(({ organizationId, bucket }) => [organizationId, bucket]),
          )),
        );
      }
      return rows.map(usagePoints.decode);
    },
    lastBefore: async ({ organizationId, bucket }, beforeMs) =>
      decodeFirst(
        await read(lastBefore, [
          ...[organizationId, bucket, organizationId, bucket],
          ...[beforeMs, beforeMs, organizationId, bucket],
          ...[organizationId, bucket, beforeMs],
        ]),
      ),
    after: async ({ organizationId, bucket }, revision, limit) =>
      (await read(after, [organizationId, bucket, revision, limit])).map(usagePoints.decode),
    buckets: async (organizationId, afterBucket, limit) =>
      (await read(walk, [organizationId, afterBucket, organizationId, limit])).map((row) => toText(row, 'bucket')),
    sweep: async ({ organizationId, bucket }, belowRevision, limit) =>
      (await read(sweep, [organizationId, bucket, belowRevision, organizationId, bucket, limit])).length,
  };
}
