import type { Migration } from './migration.ts';

/** Transactions by the names that their callers gave them. Older ones have none. */
export const namedSends: Migration = {
  id: 28,
  name: 'named-sends',
  common: ({ text }) => [
    `ALTER TABLE sends ADD COLUMN request_key ${text} DEFAULT ''`,
    "CREATE INDEX sends_named ON sends (organization_id, request_key) WHERE request_key <> ''",
  ],
  sqlite: [],
  postgres: [],
};
