import type { Migration } from './migration.ts';

/**
 * How many activities each organization had: by hour, type and status. The state says how many leaves of the log are counted.
 * INVARIANT: both change in one transaction, so every leaf is counted once, however often a node dies or two count at the same time.
 */
export const activityCounts: Migration = {
  id: 10,
  name: 'activity-counts',
  common: ({ key, integer, clustered }) => [
    `CREATE TABLE activity_counts (
      organization_id ${key}, hour ${integer}, type ${key}, status ${key}, amount ${integer},
      PRIMARY KEY (organization_id, hour, type, status)
    )${clustered}`,
    `CREATE TABLE activity_count_state (
      name ${key} CHECK (name = 'counts'), leaves ${integer},
      PRIMARY KEY (name)
    )${clustered}`,
  ],
  sqlite: [],
  postgres: [],
};
