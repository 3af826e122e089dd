import type { Migration } from './migration.ts';

/**
 * What the console is told. How many activities each organization had: by hour, type and status. The state says how many leaves of the log are counted.
 * INVARIANT: both change in one transaction, so every leaf is counted once, however often a node dies or two count at the same time.
 * And whom to tell by mail that something waits for their approval: when it is due (0: nothing is), when they were told last, and how
 * often something came up, so that what comes up while a mail is written is not lost.
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
