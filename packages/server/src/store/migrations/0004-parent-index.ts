import type { Migration } from './migration.ts';

/**
 * Drops an unused index: lookups find the sub-organizations of an organization, with more detail.
 * An operator may have dropped it already.
 */
export const parentIndex: Migration = {
  id: 4,
  name: 'parent-index',
  common: () => ['DROP INDEX IF EXISTS organizations_by_parent'],
  sqlite: [],
  postgres: [],
};
