import type { Migration } from './migration.ts';

/** What mail servers said about mails of organizations. Rows have a keyed hash of the recipient, and no address of a person. */
export const mailEvents: Migration = {
  id: 31,
  name: 'mail-events',
  common: ({ key, text, bytes, integer, clustered }) => [
    `CREATE TABLE mail_events (
      organization_id ${key}, id ${key}, recipient ${key}, event_type ${text}, created_at_ms ${integer}, body ${text}, mac ${bytes},
      PRIMARY KEY (organization_id, id)
    )${clustered}`,
    'CREATE INDEX mail_events_by_recipient ON mail_events (organization_id, recipient, id)',
    'CREATE INDEX mail_events_by_time ON mail_events (created_at_ms)',
  ],
  sqlite: [],
  postgres: [],
};
