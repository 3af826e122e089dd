import type { Migration } from './migration.ts';

/**
 * Shorter forms of rows that every signature leaves. Bodies of activities and openings of leaves have a binary form in a second column,
 * and an empty text in the first. Existing rows keep their texts until they are archived: both forms are read.
 *
 * Spans replace the marks of most archived activities, and their leaves move into the file too. A span names the activities of one
 * organization in one archive file by their first and last id, and their leaves by first and last index and sequence number.
 *
 * Searching activities by counterparty, amount, asset and reference needs no column here: a table of terms like `lookups` costs nothing
 * for activities without them, and neither engine rewrites `activities` to add it.
 *
 * An earlier release cannot read packed rows, so it must not open this schema.
 */
export const packedRows: Migration = {
  id: 21,
  name: 'packed-rows',
  common: ({ key, bytes, integer, clustered }) => [
    `CREATE TABLE archive_spans (
      organization_id ${key}, last_id ${key}, archive ${key}, first_id ${key}, before_ms ${integer},
      first_sequence ${integer}, last_sequence ${integer}, first_leaf ${integer}, last_leaf ${integer},
      activities ${integer}, leaves ${integer}, mac ${bytes},
      PRIMARY KEY (organization_id, last_id, archive)
    )${clustered}`,
    'CREATE INDEX archive_spans_by_sequence ON archive_spans (organization_id, last_sequence, first_sequence)',
    'CREATE INDEX archive_spans_by_leaf ON archive_spans (last_leaf, first_leaf)',
  ],
  sqlite: [
    `ALTER TABLE activities ADD COLUMN packed BLOB NOT NULL DEFAULT x''`,
    `ALTER TABLE log_leaves ADD COLUMN packed BLOB NOT NULL DEFAULT x''`,
  ],
  postgres: [
    `ALTER TABLE activities ADD COLUMN packed bytea NOT NULL DEFAULT '\\x'`,
    `ALTER TABLE log_leaves ADD COLUMN packed bytea NOT NULL DEFAULT '\\x'`,
  ],
};
