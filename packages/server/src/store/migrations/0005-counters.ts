import type { Migration } from './migration.ts';

/** Daily usage counters of organizations, and the index with which a mailer serves organizations round-robin. */
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
