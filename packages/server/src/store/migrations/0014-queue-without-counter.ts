import type { Migration } from './migration.ts';

/**
 * SQLite keeps the counter of a table that gives out numbers in a page of its own, and each commit wrote that page: one in six of those
 * that a single signature writes. Entries that wait need an order, and no number that is never given again: a step names the state that
 * it was made on, so it takes no entry that came later under the same number.
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
