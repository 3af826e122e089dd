import type { Migration } from './migration.ts';

/**
 * Drops an index that nothing uses: lookups find the sub-organizations of an organization, and say more about them.
 * An operator may have dropped it already.
 */
export const parentIndex: Migration = {
  id: 4,
  name: 'parent-index',
  common: () => ['DROP INDEX IF EXISTS organizations_by_parent'],
  sqlite: [],
  postgres: [],
};
