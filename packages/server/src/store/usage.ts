import { toText } from './columns.ts';
import { defineStatement, type Read, type Row } from './statement.ts';
import { usagePoints } from './tables.ts';
import type { UsageStore } from './usage-store.ts';

/** Buckets that are asked for in one statement. */
const MAX_BUCKETS = 64;

const ofBucket = `SELECT ${usagePoints.list} FROM usage_points WHERE organization_id = ? AND bucket = ?`;
const newest = defineStatement('usage_newest', `${ofBucket} ORDER BY revision DESC LIMIT 1`);
// INVARIANT: times and revisions of a bucket have one order, so the last by time is the last by revision.
const lastBefore = defineStatement('usage_last_before', `${ofBucket} AND at_ms < ? ORDER BY at_ms DESC, revision DESC LIMIT 1`);
const after = defineStatement('usage_after', `${ofBucket} AND revision > ? ORDER BY revision LIMIT ?`);
// Steps from bucket to bucket, each a seek, however many points they have.
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

/** What is the same for both engines. */
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
      decodeFirst(await read(lastBefore, [organizationId, bucket, beforeMs])),
    after: async ({ organizationId, bucket }, revision, limit) =>
      (await read(after, [organizationId, bucket, revision, limit])).map(usagePoints.decode),
    buckets: async (organizationId, afterBucket, limit) =>
      (await read(walk, [organizationId, afterBucket, organizationId, limit])).map((row) => toText(row, 'bucket')),
    sweep: async ({ organizationId, bucket }, belowRevision, limit) =>
      (await read(sweep, [organizationId, bucket, belowRevision, organizationId, bucket, limit])).length,
  };
}
