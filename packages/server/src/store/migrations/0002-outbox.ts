import type { Migration } from './migration.ts';

/**
 * Messages to deliver after their commit. The index that a mailer uses does not begin with the organization, because one mailer
 * serves all of them. The table itself can still be sharded by organization, each shard with its own index.
 */
export const outbox: Migration = {
  id: 2,
  name: 'outbox',
  common: ({ key, text, bytes, integer, clustered }) => [
    `CREATE TABLE outbox (
      organization_id ${key}, id ${key}, state ${key} CHECK (state IN ('waiting', 'parked', 'kept')), due_at_ms ${integer},
      expires_at_ms ${integer}, attempts ${integer} CHECK (attempts >= 0), fault ${text}, ciphertext ${bytes},
      PRIMARY KEY (organization_id, id)
    )${clustered}`,
    'CREATE INDEX outbox_by_due ON outbox (state, due_at_ms)',
    "CREATE INDEX outbox_by_expiry ON outbox (expires_at_ms) WHERE state <> 'kept'",
  ],
  sqlite: [],
  postgres: [],
};
