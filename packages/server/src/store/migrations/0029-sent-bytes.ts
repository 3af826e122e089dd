import type { Migration } from './migration.ts';

/** Transactions by their bytes, on chains where equal bytes are one transaction. Older ones have no key of their bytes. */
export const sentBytes: Migration = {
  id: 29,
  name: 'sent-bytes',
  common: ({ text }) => [
    `ALTER TABLE sends ADD COLUMN bytes_key ${text} DEFAULT ''`,
    "CREATE INDEX sends_by_bytes ON sends (organization_id, bytes_key) WHERE bytes_key <> ''",
  ],
  sqlite: [],
  postgres: [],
};
