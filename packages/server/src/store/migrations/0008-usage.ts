import type { Migration } from './migration.ts';

/**
 * What controls have counted: one row for each count, with the total of its bucket since the bucket began. The sum of a window is the
 * difference of two rows, however many lie between them.
 * INVARIANT: rows of a bucket are numbered from 1 without a gap, except for old ones that were swept, and their times never go back. So
 * the order of times is the order of revisions. The primary key keeps two nodes from adding the same number.
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
