import type { Migration } from './migration.ts';

/** Transactions of a chain, and of an account, newest first. An account has few chains. */
export const listedSends: Migration = {
  id: 30,
  name: 'listed-sends',
  common: () => [
    'CREATE INDEX sends_of_chain ON sends (organization_id, chain, id)',
    'CREATE INDEX sends_of_account ON sends (organization_id, account, chain, id)',
  ],
  sqlite: [],
  postgres: [],
};
