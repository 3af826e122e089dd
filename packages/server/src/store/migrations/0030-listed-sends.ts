import type { Migration } from './migration.ts';

/** Transactions by state, newest first, of an organization, of a chain, of an account, and of both. */
export const listedSends: Migration = {
  id: 30,
  name: 'listed-sends',
  common: () => [
    'CREATE INDEX sends_by_state ON sends (organization_id, state, id)',
    'CREATE INDEX sends_of_chain ON sends (organization_id, chain, state, id)',
    'CREATE INDEX sends_of_account ON sends (organization_id, account, state, id)',
    'CREATE INDEX sends_of_both ON sends (organization_id, account, chain, state, id)',
  ],
  sqlite: [],
  postgres: [],
};
