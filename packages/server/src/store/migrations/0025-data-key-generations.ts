import type { Migration } from './migration.ts';

/**
 * Lets an organization change its data key while the service runs. Each new key has a higher generation, and the key before it stays
 * beside it until every secret was encrypted again.
 *
 * An earlier release cannot read such secrets, so it must not open this schema.
 */
export const dataKeyGenerations: Migration = {
  id: 25,
  name: 'data-key-generations',
  common: ({ integer }) => [`ALTER TABLE data_keys ADD COLUMN generation ${integer} DEFAULT 0`],
  sqlite: [`ALTER TABLE data_keys ADD COLUMN previous BLOB NOT NULL DEFAULT x''`],
  postgres: [`ALTER TABLE data_keys ADD COLUMN previous bytea NOT NULL DEFAULT '\\x'`],
};
