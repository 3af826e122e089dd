import type { Migration } from './migration.ts';

/**
 * The append-only log of the installation: queued entries, leaves, tiles of the tree, the last leaf of each organization, and the state.
 * The keys of leaves prevent a second leaf for the same activity revision or the same position in the log.
 */
export const log: Migration = {
  id: 6,
  name: 'log',
  common: ({ key, integer, bytes, clustered }) => [
    `CREATE TABLE log_tiles (
      level ${integer}, tile_index ${integer}, hashes ${bytes},
      PRIMARY KEY (level, tile_index)
    )${clustered}`,
    `CREATE TABLE log_heads (
      organization_id ${key}, sequence ${integer}, leaf_hash ${bytes}, mac ${bytes},
      PRIMARY KEY (organization_id)
    )${clustered}`,
    `CREATE TABLE log_state (
      name ${key} CHECK (name = 'log'), size ${integer}, root ${bytes}, frontier ${bytes}, mac ${bytes},
      PRIMARY KEY (name)
    )${clustered}`,
  ],
  sqlite: [
    `CREATE TABLE log_queue (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, organization_id TEXT NOT NULL, activity_id TEXT NOT NULL, revision INTEGER NOT NULL,
      body TEXT NOT NULL, mac BLOB NOT NULL
    ) STRICT`,
    `CREATE TABLE log_refused (
      seq INTEGER PRIMARY KEY, organization_id TEXT NOT NULL, activity_id TEXT NOT NULL, revision INTEGER NOT NULL,
      body TEXT NOT NULL, mac BLOB NOT NULL
    ) STRICT`,
    `CREATE TABLE log_leaves (
      leaf_index INTEGER PRIMARY KEY, organization_id TEXT NOT NULL, activity_id TEXT NOT NULL, revision INTEGER NOT NULL,
      sequence INTEGER NOT NULL, opening TEXT NOT NULL, commitment BLOB NOT NULL,
      UNIQUE (organization_id, activity_id, revision),
      UNIQUE (organization_id, sequence)
    ) STRICT`,
  ],
  postgres: [
    `CREATE TABLE log_queue (
      seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, organization_id text COLLATE "C" NOT NULL, activity_id text COLLATE "C" NOT NULL,
      revision bigint NOT NULL, body text NOT NULL, mac bytea NOT NULL
    )`,
    `CREATE TABLE log_refused (
      seq bigint PRIMARY KEY, organization_id text COLLATE "C" NOT NULL, activity_id text COLLATE "C" NOT NULL,
      revision bigint NOT NULL, body text NOT NULL, mac bytea NOT NULL
    )`,
    `CREATE TABLE log_leaves (
      leaf_index bigint NOT NULL, organization_id text COLLATE "C" NOT NULL, activity_id text COLLATE "C" NOT NULL, revision bigint NOT NULL,
      sequence bigint NOT NULL, opening text NOT NULL, commitment bytea NOT NULL,
      PRIMARY KEY (organization_id, activity_id, revision),
      UNIQUE (leaf_index),
      UNIQUE (organization_id, sequence)
    )`,
  ],
};
