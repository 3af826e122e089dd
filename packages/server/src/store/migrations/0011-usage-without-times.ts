import type { Migration } from './migration.ts';

/**
 * Points of usage need no index of their times: times and revisions of a bucket have one order, so a search that halves the revisions
 * finds a time as well. Every count paid for that index, and few ask.
 */
export const usageWithoutTimes: Migration = {
  id: 11,
  name: 'usage-without-times',
  common: () => ['DROP INDEX usage_points_by_time'],
  sqlite: [],
  postgres: [],
};
