import type { Migration } from './migration.ts';

/**
 * Transactions that the service sends, and the accounts that they come from.
 * INVARIANT: a commit that adds a transaction replaces the row of its account, at the next revision. So of two commits that assign the same
 * nonce, one is rejected.
 */
export const sends: Migration = {
  id: 27,
  name: 'sends',
  common: ({ key, text, bytes, integer, clustered }) => [
    `CREATE TABLE sends (
      organization_id ${key}, id ${key}, chain ${text}, account ${text}, nonce ${integer}, state ${text}, revision ${integer},
      body ${text}, mac ${bytes},
      PRIMARY KEY (organization_id, id)
    )${clustered}`,
    `CREATE INDEX sends_active ON sends (organization_id, chain, account, nonce)
      WHERE state IN ('INITIALIZED', 'BROADCASTING', 'INCLUDED')`,
    `CREATE TABLE send_accounts (
      organization_id ${key}, chain ${key}, account ${key}, revision ${integer}, body ${text}, mac ${bytes}, due_at_ms ${integer},
      PRIMARY KEY (organization_id, chain, account)
    )${clustered}`,
    'CREATE INDEX send_accounts_due ON send_accounts (due_at_ms) WHERE due_at_ms > 0',
  ],
  sqlite: [],
  postgres: [],
};
