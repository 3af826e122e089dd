import type { Migration } from './migration.ts';

/**
 * Indexes all activities again: the index of earlier releases lacks the keys of sent transactions, and memos. Rows that exist stay. Until
 * an activity is indexed again, searches read it without the index.
 */
export const widerTerms: Migration = {
  id: 33,
  name: 'wider-terms',
  common: () => ['DELETE FROM activity_term_state'],
  sqlite: [],
  postgres: [],
};
