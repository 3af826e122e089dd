import type { Migration } from './migration.ts';

/**
 * Activity updates for webhook endpoints. The database assigns `seq`: a commit that starts after another one has ended has a higher
 * number. The index for deliveries starts with the endpoint, which can belong to the parent organization.
 */
export const events: Migration = {
  id: 3,
  name: 'events',
  common: ({ key, integer, clustered }) => [
    `CREATE TABLE event_leases (
      endpoint_id ${key}, holder ${key}, until_ms ${integer},
      PRIMARY KEY (endpoint_id)
    )${clustered}`,
  ],
  sqlite: [
    `CREATE TABLE events (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, organization_id TEXT NOT NULL, id TEXT NOT NULL, endpoint_id TEXT NOT NULL,
      listener_id TEXT NOT NULL, created_at_ms INTEGER NOT NULL, mac BLOB NOT NULL, body TEXT NOT NULL,
      UNIQUE (organization_id, id, endpoint_id)
    ) STRICT`,
    'CREATE INDEX events_by_endpoint ON events (endpoint_id, seq)',
    'CREATE INDEX events_by_organization ON events (endpoint_id, organization_id, seq)',
  ],
  postgres: [
    `CREATE TABLE events (
      seq bigint GENERATED ALWAYS AS IDENTITY, organization_id text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL,
      endpoint_id text COLLATE "C" NOT NULL, listener_id text COLLATE "C" NOT NULL, created_at_ms bigint NOT NULL, mac bytea NOT NULL,
      body text NOT NULL,
      PRIMARY KEY (organization_id, id, endpoint_id)
    )`,
    'CREATE INDEX events_by_endpoint ON events (endpoint_id, seq)',
    'CREATE INDEX events_by_organization ON events (endpoint_id, organization_id, seq)',
  ],
};
