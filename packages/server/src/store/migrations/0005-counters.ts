import type { Migration } from './migration.ts';

/**
 * Counters of what organizations use up in a day, and the index by which a mailer serves one organization after the other instead of
 * the one with the longest queue.
 */
export const counters: Migration = {
  id: 5,
  name: 'counters',
  common: ({ key, integer, clustered }) => [
    `CREATE TABLE counters (
      organization_id ${key}, name ${key}, day ${integer}, amount ${integer},
      PRIMARY KEY (organization_id, name, day)
    )${clustered}`,
    'CREATE INDEX counters_by_day ON counters (day)',
    "CREATE INDEX outbox_by_organization ON outbox (organization_id, due_at_ms) WHERE state = 'waiting'",
  ],
  sqlite: [],
  postgres: [],
};
