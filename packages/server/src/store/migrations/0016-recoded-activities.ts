import type { Migration } from './migration.ts';

const terminal = "('ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_FAILED', 'ACTIVITY_STATUS_REJECTED')";
const rank = (row: 'OLD' | 'NEW') =>
  `(CASE ${row}.status WHEN 'ACTIVITY_STATUS_CREATED' THEN 0 WHEN 'ACTIVITY_STATUS_CONSENSUS_NEEDED' THEN 1 WHEN 'ACTIVITY_STATUS_PENDING' THEN 2 ELSE 3 END)`;
const becomesAnother = ['organization_id', 'id', 'type', 'fingerprint', 'requested_at_ms']
  .map((column) => `NEW.${column} <> OLD.${column}`)
  .join(' OR ');
const isFixed = 'organization, id, type, fingerprint and time of an activity are fixed';
/** Plain JSON becomes ciphertext of the same content, which the MAC covers. */
const isRecoded =
  "NEW.mac = OLD.mac AND NEW.status = OLD.status AND NEW.revision = OLD.revision AND OLD.body LIKE '{%' AND NEW.body LIKE 'sealed1.%'";

/**
 * Lets a migration of contents replace the plain body of a terminal activity by its encryption.
 * An earlier release cannot read encrypted rows, so it must not open this schema.
 */
export const recodedActivities: Migration = {
  id: 16,
  name: 'recoded-activities',
  common: () => [],
  sqlite: [
    'DROP TRIGGER activities_terminal_update',
    `CREATE TRIGGER activities_terminal_update BEFORE UPDATE ON activities WHEN OLD.status IN ${terminal} AND NOT (${isRecoded})
      BEGIN SELECT RAISE(ABORT, 'a terminal activity is final'); END`,
  ],
  postgres: [
    `CREATE OR REPLACE FUNCTION guard_activity() RETURNS trigger LANGUAGE plpgsql AS $guard$
      BEGIN
        IF TG_OP = 'TRUNCATE' THEN
          RAISE EXCEPTION 'activities are kept' USING ERRCODE = 'check_violation';
        END IF;
        IF OLD.status IN ${terminal} AND NOT (${isRecoded}) THEN
          RAISE EXCEPTION 'a terminal activity is final' USING ERRCODE = 'check_violation';
        END IF;
        IF ${becomesAnother} THEN
          RAISE EXCEPTION '${isFixed}' USING ERRCODE = 'check_violation';
        END IF;
        IF ${rank('NEW')} < ${rank('OLD')} THEN
          RAISE EXCEPTION 'the status of an activity only moves forward' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
      END
    $guard$`,
  ],
};
