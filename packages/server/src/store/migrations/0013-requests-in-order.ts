import { type Migration, sqliteTypes } from './migration.ts';

const terminal = "('ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_FAILED', 'ACTIVITY_STATUS_REJECTED')";
const open = "('ACTIVITY_STATUS_CREATED', 'ACTIVITY_STATUS_PENDING', 'ACTIVITY_STATUS_CONSENSUS_NEEDED')";

/** A status only moves forward, or stays the same when a vote is added. */
const rank = (row: 'OLD' | 'NEW') =>
  `(CASE ${row}.status WHEN 'ACTIVITY_STATUS_CREATED' THEN 0 WHEN 'ACTIVITY_STATUS_CONSENSUS_NEEDED' THEN 1 WHEN 'ACTIVITY_STATUS_PENDING' THEN 2 ELSE 3 END)`;
const isMarked =
  'EXISTS (SELECT 1 FROM archived m WHERE m.organization_id = OLD.organization_id AND m.activity_id = OLD.id AND m.activity_mac = OLD.mac)';
const becomesAnother = ['organization_id', 'id', 'type', 'fingerprint', 'requested_at_ms']
  .map((column) => `NEW.${column} <> OLD.${column}`)
  .join(' OR ');
const isFixed = 'organization, id, type, fingerprint and time of an activity are fixed';

const { key, text, bytes, integer, heap } = sqliteTypes;
const before = 'organization_id, id, revision, fingerprint, type, status, mac, body';

/**
 * Orders the index of fingerprints by request time. Inserts into an index of fingerprints alone hit random pages: each signature changed
 * a separate page, a third of the database cost. With the timestamp of the request before the fingerprint, new entries are adjacent. The
 * same body has the same timestamp, so the index rejects the same replays as before.
 *
 * Votes name an activity by its fingerprint alone. They find activities that were not executed immediately, which have a small index.
 *
 * An earlier release cannot write to this schema: it would not detect replays of requests that this release executed.
 */
export const requestsInOrder: Migration = {
  id: 13,
  name: 'requests-in-order',
  common: () => [],
  sqlite: [
    // SQLite cannot drop a constraint. Dropping a table fires no trigger.
    `CREATE TABLE activities_in_order (
      organization_id ${key}, id ${key}, revision ${integer} CHECK (revision >= 0), fingerprint ${key}, requested_at_ms ${integer}, type ${key},
      status ${key} CHECK (status IN ${terminal} OR status IN ${open}), mac ${bytes}, body ${text},
      PRIMARY KEY (organization_id, id),
      UNIQUE (organization_id, requested_at_ms, fingerprint)
    )${heap}`,
    `INSERT INTO activities_in_order (rowid, ${before}, requested_at_ms)
      SELECT rowid, ${before}, CASE WHEN json_valid(body) THEN coalesce(CAST(json_extract(body, '$.timestampMs') AS INTEGER), 0) ELSE 0 END
      FROM activities ORDER BY rowid`,
    'DROP TABLE activities',
    'ALTER TABLE activities_in_order RENAME TO activities',
    'CREATE INDEX activities_by_type ON activities (organization_id, type, id)',
    `CREATE INDEX activities_by_status ON activities (organization_id, status, id) WHERE status <> 'ACTIVITY_STATUS_COMPLETED'`,
    `CREATE INDEX activities_by_status_and_type ON activities (organization_id, status, type, id) WHERE status <> 'ACTIVITY_STATUS_COMPLETED'`,
    `CREATE INDEX activities_by_fingerprint ON activities (organization_id, fingerprint) WHERE revision > 0 OR status <> 'ACTIVITY_STATUS_COMPLETED'`,
    `CREATE TRIGGER activities_terminal_update BEFORE UPDATE ON activities WHEN OLD.status IN ${terminal}
      BEGIN SELECT RAISE(ABORT, 'a terminal activity is final'); END`,
    `CREATE TRIGGER activities_terminal_delete BEFORE DELETE ON activities WHEN OLD.status IN ${terminal} AND NOT ${isMarked}
      BEGIN SELECT RAISE(ABORT, 'a terminal activity is final'); END`,
    `CREATE TRIGGER activities_identity BEFORE UPDATE ON activities WHEN ${becomesAnother}
      BEGIN SELECT RAISE(ABORT, '${isFixed}'); END`,
    `CREATE TRIGGER activities_forward BEFORE UPDATE ON activities
      WHEN OLD.status NOT IN ${terminal} AND ${rank('NEW')} < ${rank('OLD')}
      BEGIN SELECT RAISE(ABORT, 'the status of an activity only moves forward'); END`,
  ],
  postgres: [
    // A type change rewrites every row and fires no trigger.
    'ALTER TABLE activities ADD COLUMN requested_at_ms bigint',
    `ALTER TABLE activities ALTER COLUMN requested_at_ms TYPE bigint
      USING coalesce(substring(body from '^\\{"timestampMs":"([0-9]{1,15})"'), substring(body from '"timestampMs":"([0-9]{1,15})"'), '0')::bigint`,
    'ALTER TABLE activities ALTER COLUMN requested_at_ms SET NOT NULL',
    'ALTER TABLE activities DROP CONSTRAINT activities_organization_id_fingerprint_key',
    'ALTER TABLE activities ADD UNIQUE (organization_id, requested_at_ms, fingerprint)',
    `CREATE INDEX activities_by_fingerprint ON activities (organization_id, fingerprint) WHERE revision > 0 OR status <> 'ACTIVITY_STATUS_COMPLETED'`,
    `CREATE OR REPLACE FUNCTION guard_activity() RETURNS trigger LANGUAGE plpgsql AS $guard$
      BEGIN
        IF TG_OP = 'TRUNCATE' THEN
          RAISE EXCEPTION 'activities are kept' USING ERRCODE = 'check_violation';
        END IF;
        IF OLD.status IN ${terminal} THEN
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
