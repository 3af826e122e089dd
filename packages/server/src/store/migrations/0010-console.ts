import type { Migration } from './migration.ts';

/**
 * Tables for the console. Activity counts per organization, hour, type and status; the state records how many log leaves are counted.
 * INVARIANT: both change in one transaction, so every leaf is counted once, even if a node crashes or two nodes count concurrently.
 * Users to notify by email about pending approvals: when the notification is due (0: not due), when the last one was sent, and the number
 * of requests, so that a request during a notification is not lost.
 */
export const consoleTables: Migration = {
  id: 10,
  name: 'console',
  common: ({ key, integer, clustered }) => [
    `CREATE TABLE activity_counts (
      organization_id ${key}, hour ${integer}, type ${key}, status ${key}, amount ${integer},
      PRIMARY KEY (organization_id, hour, type, status)
    )${clustered}`,
    `CREATE TABLE activity_count_state (
      name ${key} CHECK (name = 'counts'), leaves ${integer},
      PRIMARY KEY (name)
    )${clustered}`,
    `CREATE TABLE approval_notices (
      organization_id ${key}, user_id ${key}, due_at_ms ${integer}, told_at_ms ${integer}, wishes ${integer},
      PRIMARY KEY (organization_id, user_id)
    )${clustered}`,
    'CREATE INDEX approval_notices_due ON approval_notices (due_at_ms) WHERE due_at_ms > 0',
  ],
  sqlite: [],
  postgres: [],
};
