import type { Migration } from './migration.ts';

/**
 * Usage that spending limits have counted: one row per count, with the running total of its bucket. The sum of a window is the difference
 * of two rows, regardless of how many rows are between them.
 * INVARIANT: rows of a bucket are numbered from 1 without gaps, except for old rows that were swept, and their times never decrease. So
 * times follow the order of revisions. The primary key prevents two nodes from adding the same revision.
 */
export const usage: Migration = {
  id: 8,
  name: 'usage',
  common: ({ key, text, bytes, integer, clustered }) => [
    `CREATE TABLE usage_points (
      organization_id ${key}, bucket ${key}, revision ${integer}, at_ms ${integer}, total ${text}, activity_id ${text},
      previous ${bytes}, mac ${bytes},
      PRIMARY KEY (organization_id, bucket, revision)
    )${clustered}`,
    'CREATE INDEX usage_points_by_time ON usage_points (organization_id, bucket, at_ms, revision)',
  ],
  sqlite: [],
  postgres: [],
};
