import type { Migration } from './migration.ts';

/** How a session was opened and when it was last used, as its requests described themselves. No decision reads it. */
export const sessionUses: Migration = {
  id: 32,
  name: 'session-uses',
  common: ({ key, text, bytes, integer, clustered }) => [
    `CREATE TABLE session_uses (
      organization_id ${key}, user_id ${key}, id ${key}, kind ${key}, at_ms ${integer}, expires_at_ms ${integer}, body ${text}, mac ${bytes},
      PRIMARY KEY (organization_id, user_id, id, kind)
    )${clustered}`,
    'CREATE INDEX session_uses_by_expiry ON session_uses (expires_at_ms)',
  ],
  sqlite: [],
  postgres: [],
};
