import type { Migration } from './migration.ts';

/**
 * Updates of activities for webhook endpoints. The database assigns `seq`: what was committed before something else began has the
 * lower number. The index that deliveries use begins with the endpoint, whose organization may be the parent.
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
