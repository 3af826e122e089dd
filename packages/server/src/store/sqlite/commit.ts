import type Database from 'better-sqlite3';
import { brokenRule, insertedOrganizations } from '../commit-rules.ts';
import { toLookupKey } from '../lookup-key.ts';
import type { ActivityRow, Write } from '../rows.ts';
import type { Commit, CommitOutcome } from '../store.ts';
import { isRefusedRow } from './faults.ts';
import { createTransaction } from './transaction.ts';

const taken: CommitOutcome = Object.freeze({ taken: true });
const versionMoved: CommitOutcome = Object.freeze({ taken: false, reason: 'VERSION_MOVED' });
const revisionMoved: CommitOutcome = Object.freeze({ taken: false, reason: 'REVISION_MOVED' });

/** Writes one batch in one transaction, synchronously. Throws a busy error, with nothing written, while another connection writes. */
export type CommitBatch = (batch: readonly Commit[]) => readonly CommitOutcome[];

/** Prepares the statements of the commit path once and gives the function that runs it. */
export function createCommitBatch(db: Database.Database): CommitBatch {
  const transaction = createTransaction(db);
  const write = createWriter(db);
  const selectVersion = db.prepare('SELECT version FROM organizations WHERE organization_id = ?').pluck();
  const updateHead = db.prepare('UPDATE organizations SET version = ?, mac = ? WHERE organization_id = ?');
  const insertActivity = db.prepare(
    `INSERT INTO activities (organization_id, id, revision, fingerprint, type, status, mac, body)
     VALUES (?, ?, 0, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const updateActivity = db.prepare(
    `UPDATE activities SET revision = ?, status = ?, mac = ?, body = ?
     WHERE organization_id = ? AND id = ? AND revision = ? AND fingerprint = ? AND type = ?
       AND status NOT IN ('ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_FAILED', 'ACTIVITY_STATUS_REJECTED')`,
  );
  const selectByFingerprint = db.prepare('SELECT id FROM activities WHERE organization_id = ? AND fingerprint = ?').pluck();

  function putActivity(row: ActivityRow): CommitOutcome {
    const { organizationId, id, revision, fingerprint, type, status, mac, body } = row;
    if (revision > 0) {
      const { changes } = updateActivity.run(revision, status, mac, body, organizationId, id, revision - 1, fingerprint, type);
      return changes === 1 ? taken : revisionMoved;
    }
    const { changes } = insertActivity.run(organizationId, id, fingerprint, type, status, mac, body);
    if (changes === 1) return taken;
    const activityId = selectByFingerprint.get(organizationId, fingerprint);
    return typeof activityId === 'string' ? { taken: false, reason: 'FINGERPRINT_EXISTS', activityId } : revisionMoved;
  }

  /** INVARIANT: all that can refuse an entry comes before its first lasting write, so a refused entry leaves nothing behind. */
  function put(commit: Commit, versions: Map<string, number | undefined>): CommitOutcome {
    const detail = brokenRule(commit);
    if (detail !== undefined) return { taken: false, reason: 'INVALID', detail };

    const versionOf = (id: string): number | undefined => {
      if (!versions.has(id)) versions.set(id, selectVersion.get(id) as number | undefined);
      return versions.get(id);
    };
    const { organizationId, expectedVersion, head, activity, writes, alsoExpect } = commit;
    const inserted = insertedOrganizations(commit);
    if (inserted.some((id) => versionOf(id) !== undefined)) return versionMoved;
    if (!inserted.includes(organizationId) && versionOf(organizationId) !== expectedVersion) return versionMoved;

    if (alsoExpect !== undefined && versionOf(alsoExpect.organizationId) !== alsoExpect.version) return versionMoved;

    const outcome = putActivity(activity);
    if (!outcome.taken) return outcome;
    for (const one of writes) write(one);
    if (head !== undefined) updateHead.run(head.version, head.mac, organizationId);
    // Only now: an entry that a savepoint rolls back must not leave its version here.
    if (head !== undefined) versions.set(organizationId, head.version);
    for (const one of writes) if (one.table === 'organizations') versions.set(one.row.organizationId, one.row.version);
    return taken;
  }

  /** The slow way, after a row was refused: a savepoint around each entry shows whose it was. */
  function putGuarded(commit: Commit, versions: Map<string, number | undefined>): CommitOutcome {
    db.exec('SAVEPOINT entry');
    try {
      return put(commit, versions);
    } catch (error) {
      if (!isRefusedRow(error)) throw error;
      db.exec('ROLLBACK TO entry');
      return { taken: false, reason: 'INVALID', detail: (error as Error).message };
    } finally {
      if (db.inTransaction) db.exec('RELEASE entry');
    }
  }

  return (batch) => {
    const run = (apply: typeof put) => () => {
      const versions = new Map<string, number | undefined>();
      return batch.map((commit) => apply(commit, versions));
    };
    try {
      return transaction(run(put));
    } catch (error) {
      if (!isRefusedRow(error)) throw error;
      return transaction(run(putGuarded));
    }
  };
}

function createWriter(db: Database.Database): (write: Write) => void {
  const insertHead = db.prepare('INSERT INTO organizations (organization_id, parent_id, version, mac) VALUES (?, ?, ?, ?)');
  const putRecord = db.prepare(
    `INSERT INTO records (organization_id, kind, id, mac, body) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (organization_id, kind, id) DO UPDATE SET mac = excluded.mac, body = excluded.body`,
  );
  const deleteRecord = db.prepare('DELETE FROM records WHERE organization_id = ? AND kind = ? AND id = ?');
  const putResource = db.prepare(
    `INSERT INTO resources (organization_id, kind, id, parent_id, mac, body) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (organization_id, kind, id) DO UPDATE SET parent_id = excluded.parent_id, mac = excluded.mac, body = excluded.body`,
  );
  const deleteResource = db.prepare('DELETE FROM resources WHERE organization_id = ? AND kind = ? AND id = ?');
  const putSecret = db.prepare(
    `INSERT INTO secrets (organization_id, id, ciphertext) VALUES (?, ?, ?)
     ON CONFLICT (organization_id, id) DO UPDATE SET ciphertext = excluded.ciphertext`,
  );
  const deleteSecret = db.prepare('DELETE FROM secrets WHERE organization_id = ? AND id = ?');
  const putLookup = db.prepare(
    'INSERT INTO lookups (organization_id, kind, value, id) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const deleteLookup = db.prepare('DELETE FROM lookups WHERE organization_id = ? AND kind = ? AND value = ? AND id = ?');
  const putDataKey = db.prepare(
    `INSERT INTO data_keys (organization_id, root_key_id, wrapped) VALUES (?, ?, ?)
     ON CONFLICT (organization_id) DO UPDATE SET root_key_id = excluded.root_key_id, wrapped = excluded.wrapped`,
  );

  const putOutbox = db.prepare(
    `INSERT INTO outbox (organization_id, id, state, due_at_ms, expires_at_ms, attempts, fault, ciphertext) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (organization_id, id) DO UPDATE SET state = excluded.state, due_at_ms = excluded.due_at_ms,
       expires_at_ms = excluded.expires_at_ms, attempts = excluded.attempts, fault = excluded.fault, ciphertext = excluded.ciphertext`,
  );

  const putEvent = db.prepare(
    `INSERT INTO events (organization_id, id, listener_id, endpoint_id, created_at_ms, mac, body) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (organization_id, id, endpoint_id) DO NOTHING`,
  );

  return ({ op, table, row }) => {
    const o = row.organizationId;
    switch (table) {
      case 'organizations':
        insertHead.run(o, row.parentId, row.version, row.mac);
        break;
      case 'records':
        if (op === 'put') putRecord.run(o, row.kind, row.id, row.mac, row.body);
        else deleteRecord.run(o, row.kind, row.id);
        break;
      case 'resources':
        if (op === 'put') putResource.run(o, row.kind, row.id, row.parentId, row.mac, row.body);
        else deleteResource.run(o, row.kind, row.id);
        break;
      case 'secrets':
        if (op === 'put') putSecret.run(o, row.id, row.ciphertext);
        else deleteSecret.run(o, row.id);
        break;
      case 'lookups':
        (op === 'put' ? putLookup : deleteLookup).run(o, row.kind, toLookupKey(row.value), row.id);
        break;
      case 'data_keys':
        putDataKey.run(o, row.rootKeyId, row.wrapped);
        break;
      case 'outbox':
        putOutbox.run(o, row.id, row.state, row.dueAtMs, row.expiresAtMs, row.attempts, row.fault, row.ciphertext);
        break;
      case 'events':
        putEvent.run(o, row.id, row.listenerId, row.endpointId, row.createdAtMs, row.mac, row.body);
        break;
    }
  };
}
