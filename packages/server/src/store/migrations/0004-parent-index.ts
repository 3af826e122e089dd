import type { Migration } from './migration.ts';

/**
 * Drops an index that nothing asks by: the sub-organizations of an organization are found by lookups, which say more of them.
 * An operator may have dropped it already.
 */
export const parentIndex: Migration = {
  id: 4,
  name: 'parent-index',
  common: () => ['DROP INDEX IF EXISTS organizations_by_parent'],
  sqlite: [],
  postgres: [],
};
