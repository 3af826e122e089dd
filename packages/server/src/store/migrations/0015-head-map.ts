import type { Migration } from './migration.ts';

const old = 'seq, organization_id, activity_id, revision, body, mac';
const queueColumns = `organization_id TEXT NOT NULL, activity_id TEXT NOT NULL, revision INTEGER NOT NULL, format INTEGER NOT NULL,
      body TEXT NOT NULL, mac BLOB NOT NULL`;

/** Adds a column without a default that existing rows have the value 1 in. */
const formatOf = (table: string) => [
  `ALTER TABLE ${table} ADD COLUMN format bigint NOT NULL DEFAULT 1`,
  `ALTER TABLE ${table} ALTER COLUMN format DROP DEFAULT`,
];

/**
 * The head map of the log: a Merkle trie of the newest head of each organization and the newest point of each usage bucket. Records and
 * resources get the version that wrote them, and deletions leave tombstones.
 *
 * The format of a queued entry has no default, so an earlier release that still runs cannot write: its entries name no heads.
 */
export const headMap: Migration = {
  id: 15,
  name: 'head-map',
  common: ({ key, integer, bytes, clustered }) => [
    `CREATE TABLE log_map (prefix ${key}, node ${bytes}, PRIMARY KEY (prefix))${clustered}`,
    `CREATE TABLE tombstones (
      organization_id ${key}, version ${integer}, kind ${key}, id ${key},
      PRIMARY KEY (organization_id, version, kind, id)
    )${clustered}`,
    `ALTER TABLE records ADD COLUMN written_by ${integer} DEFAULT 0`,
    `ALTER TABLE resources ADD COLUMN written_by ${integer} DEFAULT 0`,
    `ALTER TABLE log_heads ADD COLUMN head_version ${integer} DEFAULT 0`,
    // The root of the head map covers these rows. A MAC made them authentic, but not fresh.
    'ALTER TABLE log_heads DROP COLUMN mac',
  ],
  sqlite: [
    `ALTER TABLE log_heads ADD COLUMN head_digest BLOB NOT NULL DEFAULT x''`,
    `ALTER TABLE log_state ADD COLUMN map_root BLOB NOT NULL DEFAULT x''`,
    // SQLite cannot drop a default.
    `CREATE TABLE log_waiting (seq INTEGER PRIMARY KEY, ${queueColumns}) STRICT`,
    `INSERT INTO log_waiting (${old}, format) SELECT ${old}, 1 FROM log_queue ORDER BY seq`,
    'DROP TABLE log_queue',
    'ALTER TABLE log_waiting RENAME TO log_queue',
    `CREATE TABLE log_rejected (seq INTEGER PRIMARY KEY, ${queueColumns}) STRICT`,
    `INSERT INTO log_rejected (${old}, format) SELECT ${old}, 1 FROM log_refused ORDER BY seq`,
    'DROP TABLE log_refused',
    'ALTER TABLE log_rejected RENAME TO log_refused',
  ],
  postgres: [
    `ALTER TABLE log_heads ADD COLUMN head_digest bytea NOT NULL DEFAULT '\\x'`,
    `ALTER TABLE log_state ADD COLUMN map_root bytea NOT NULL DEFAULT '\\x'`,
    ...formatOf('log_queue'),
    ...formatOf('log_refused'),
  ],
};
