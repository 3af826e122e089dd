import type { Migration } from './migration.ts';

/**
 * SQLite stores the AUTOINCREMENT counter of a table in a separate page, and each commit wrote that page: one in six pages that a single
 * signature writes. Queued entries need an order, but their numbers may be reused: a step names the state that it is based on, so it
 * never takes a later entry with the same number.
 */
export const queueWithoutCounter: Migration = {
  id: 14,
  name: 'queue-without-counter',
  common: () => [],
  sqlite: [
    `CREATE TABLE log_waiting (
      seq INTEGER PRIMARY KEY, organization_id TEXT NOT NULL, activity_id TEXT NOT NULL, revision INTEGER NOT NULL,
      body TEXT NOT NULL, mac BLOB NOT NULL
    ) STRICT`,
    'INSERT INTO log_waiting SELECT seq, organization_id, activity_id, revision, body, mac FROM log_queue ORDER BY seq',
    'DROP TABLE log_queue',
    'ALTER TABLE log_waiting RENAME TO log_queue',
  ],
  postgres: [],
};
