import type { Migration } from './migration.ts';

/**
 * Lets a process read only what other processes changed in an organization: indexes by the version that wrote a row, and the MACs of
 * removed and replaced keys. Tombstones of earlier releases have no MAC; a process that needs one of them reads the organization in full.
 */
export const changes: Migration = {
  id: 18,
  name: 'changes',
  common: () => [
    'CREATE INDEX records_by_version ON records (organization_id, written_by)',
    `CREATE INDEX keys_by_version ON resources (organization_id, written_by) WHERE parent_id = ''`,
  ],
  sqlite: [`ALTER TABLE tombstones ADD COLUMN mac BLOB NOT NULL DEFAULT x''`],
  postgres: [`ALTER TABLE tombstones ADD COLUMN mac bytea NOT NULL DEFAULT '\\x'`],
};
