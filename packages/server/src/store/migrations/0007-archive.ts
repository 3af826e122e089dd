import type { Migration } from './migration.ts';

const terminal = "('ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_FAILED', 'ACTIVITY_STATUS_REJECTED')";
const isMarked =
  'EXISTS (SELECT 1 FROM archived m WHERE m.organization_id = OLD.organization_id AND m.activity_id = OLD.id AND m.activity_mac = OLD.mac)';

/**
 * Activities that were moved into archive files. INVARIANT: the row of a terminal activity can be deleted only while its mark is stored,
 * which names the file and the exact row. The mark has a MAC, so it cannot be forged without the vault.
 */
export const archive: Migration = {
  id: 7,
  name: 'archive',
  common: ({ key, text, bytes, integer, clustered }) => [
    `CREATE TABLE archives (
      name ${key}, body ${text}, mac ${bytes},
      PRIMARY KEY (name)
    )${clustered}`,
    `CREATE TABLE archived (
      organization_id ${key}, activity_id ${key}, revision ${integer}, fingerprint ${key}, archive ${key}, activity_mac ${bytes}, mac ${bytes},
      PRIMARY KEY (organization_id, activity_id)
    )${clustered}`,
    'CREATE INDEX archived_by_fingerprint ON archived (organization_id, fingerprint)',
  ],
  sqlite: [
    'DROP TRIGGER activities_terminal_delete',
    `CREATE TRIGGER activities_terminal_delete BEFORE DELETE ON activities WHEN OLD.status IN ${terminal} AND NOT ${isMarked}
      BEGIN SELECT RAISE(ABORT, 'a terminal activity is final'); END`,
  ],
  postgres: [
    `CREATE OR REPLACE FUNCTION guard_archived() RETURNS trigger LANGUAGE plpgsql AS $guard$
      BEGIN
        IF OLD.status IN ${terminal} AND NOT ${isMarked} THEN
          RAISE EXCEPTION 'a terminal activity is final' USING ERRCODE = 'check_violation';
        END IF;
        RETURN OLD;
      END
    $guard$`,
    'DROP TRIGGER activities_guard ON activities',
    'CREATE TRIGGER activities_guard BEFORE UPDATE ON activities FOR EACH ROW EXECUTE FUNCTION guard_activity()',
    'DROP TRIGGER IF EXISTS activities_archived ON activities',
    'CREATE TRIGGER activities_archived BEFORE DELETE ON activities FOR EACH ROW EXECUTE FUNCTION guard_archived()',
  ],
};
