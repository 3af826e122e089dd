import type { Migration } from './migration.ts';

/**
 * Usage points need no index by time: the times of a bucket follow its revisions, so a binary search over revisions finds a time. Every
 * count paid for that index, and few queries used it.
 */
export const usageWithoutTimes: Migration = {
  id: 11,
  name: 'usage-without-times',
  common: () => ['DROP INDEX usage_points_by_time'],
  sqlite: [],
  postgres: [],
};
