import type { Migration } from './migration.ts';

const statuses = [
  'ACTIVITY_STATUS_CREATED',
  'ACTIVITY_STATUS_PENDING',
  'ACTIVITY_STATUS_CONSENSUS_NEEDED',
  'ACTIVITY_STATUS_COMPLETED',
  'ACTIVITY_STATUS_FAILED',
  'ACTIVITY_STATUS_REJECTED',
];
const terminal = "('ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_FAILED', 'ACTIVITY_STATUS_REJECTED')";

/** A status only moves forward, or stays the same when a vote is added. */
const rank = (row: 'OLD' | 'NEW') =>
  `(CASE ${row}.status WHEN 'ACTIVITY_STATUS_CREATED' THEN 0 WHEN 'ACTIVITY_STATUS_CONSENSUS_NEEDED' THEN 1 WHEN 'ACTIVITY_STATUS_PENDING' THEN 2 ELSE 3 END)`;

/**
 * The first schema. The organization leads every key and index, so the same tables can be sharded by it.
 * Triggers enforce "terminal is final" even against a bug in this service.
 */
export const initial: Migration = {
  id: 1,
  name: 'initial',
  common: ({ key, text, bytes, integer, clustered, heap }) => [
    `CREATE TABLE organizations (
      organization_id ${key}, parent_id ${key}, version ${integer}, mac ${bytes},
      PRIMARY KEY (organization_id)
    )${clustered}`,
    `CREATE INDEX organizations_by_parent ON organizations (parent_id, organization_id) WHERE parent_id <> ''`,
    `CREATE TABLE records (
      organization_id ${key}, kind ${key}, id ${key}, mac ${bytes}, body ${text},
      PRIMARY KEY (organization_id, kind, id)
    )${clustered}`,
    `CREATE TABLE resources (
      organization_id ${key}, kind ${key}, id ${key}, parent_id ${key}, mac ${bytes}, body ${text},
      PRIMARY KEY (organization_id, kind, id)
    )${clustered}`,
    `CREATE INDEX resources_by_parent ON resources (organization_id, parent_id, kind, id)`,
    `CREATE TABLE secrets (
      organization_id ${key}, id ${key}, ciphertext ${bytes},
      PRIMARY KEY (organization_id, id)
    )${clustered}`,
    `CREATE TABLE lookups (
      organization_id ${key}, kind ${key}, value ${key}, id ${key},
      PRIMARY KEY (organization_id, kind, value, id)
    )${clustered}`,
    `CREATE TABLE data_keys (
      organization_id ${key}, root_key_id ${key}, wrapped ${bytes},
      PRIMARY KEY (organization_id)
    )${clustered}`,
    `CREATE TABLE settings (
      name ${key}, body ${text},
      PRIMARY KEY (name)
    )${clustered}`,
    `CREATE TABLE activities (
      organization_id ${key}, id ${key}, revision ${integer} CHECK (revision >= 0), fingerprint ${key}, type ${key},
      status ${key} CHECK (status IN (${statuses.map((status) => `'${status}'`).join(', ')})), mac ${bytes}, body ${text},
      PRIMARY KEY (organization_id, id),
      UNIQUE (organization_id, fingerprint)
    )${heap}`,
    `CREATE INDEX activities_by_type ON activities (organization_id, type, id)`,
    // Nearly every activity ends COMPLETED. Leaving those out keeps signatures cheap and the index small.
    `CREATE INDEX activities_by_status ON activities (organization_id, status, id) WHERE status <> 'ACTIVITY_STATUS_COMPLETED'`,
  ],
  sqlite: [
    `CREATE TRIGGER activities_terminal_update BEFORE UPDATE ON activities WHEN OLD.status IN ${terminal}
      BEGIN SELECT RAISE(ABORT, 'a terminal activity is final'); END`,
    `CREATE TRIGGER activities_terminal_delete BEFORE DELETE ON activities WHEN OLD.status IN ${terminal}
      BEGIN SELECT RAISE(ABORT, 'a terminal activity is final'); END`,
    `CREATE TRIGGER activities_identity BEFORE UPDATE ON activities
      WHEN NEW.organization_id <> OLD.organization_id OR NEW.id <> OLD.id OR NEW.type <> OLD.type OR NEW.fingerprint <> OLD.fingerprint
      BEGIN SELECT RAISE(ABORT, 'organization, id, type and fingerprint of an activity are fixed'); END`,
    `CREATE TRIGGER activities_forward BEFORE UPDATE ON activities
      WHEN OLD.status NOT IN ${terminal} AND ${rank('NEW')} < ${rank('OLD')}
      BEGIN SELECT RAISE(ABORT, 'the status of an activity only moves forward'); END`,
  ],
  postgres: [
    `CREATE FUNCTION guard_activity() RETURNS trigger LANGUAGE plpgsql AS $guard$
      BEGIN
        IF TG_OP = 'TRUNCATE' THEN
          RAISE EXCEPTION 'activities are kept' USING ERRCODE = 'check_violation';
        END IF;
        IF OLD.status IN ${terminal} THEN
          RAISE EXCEPTION 'a terminal activity is final' USING ERRCODE = 'check_violation';
        END IF;
        IF TG_OP = 'DELETE' THEN
          RETURN OLD;
        END IF;
        IF NEW.organization_id <> OLD.organization_id OR NEW.id <> OLD.id OR NEW.type <> OLD.type OR NEW.fingerprint <> OLD.fingerprint THEN
          RAISE EXCEPTION 'organization, id, type and fingerprint of an activity are fixed' USING ERRCODE = 'check_violation';
        END IF;
        IF ${rank('NEW')} < ${rank('OLD')} THEN
          RAISE EXCEPTION 'the status of an activity only moves forward' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
      END
    $guard$`,
    `CREATE TRIGGER activities_guard BEFORE UPDATE OR DELETE ON activities FOR EACH ROW EXECUTE FUNCTION guard_activity()`,
    `CREATE TRIGGER activities_kept BEFORE TRUNCATE ON activities FOR EACH STATEMENT EXECUTE FUNCTION guard_activity()`,
  ],
};
