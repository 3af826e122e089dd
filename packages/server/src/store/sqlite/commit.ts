import { terminalList } from '../activity-status.ts';
import { brokenRule, insertedOrganizations, sameHead, sweptTombstones } from '../commit-rules.ts';
import type { ActivityRow, LogEntryRow, SettingRow, Write } from '../rows.ts';
import { type UsedKeys, usedKeys } from '../sealed-bytes.ts';
import type { Commit, CommitOutcome, Head } from '../store.ts';
import { StoreFenced } from '../store-errors.ts';
import { putInto, type TableShape } from '../table.ts';
import { activities, forEachWritten, organizations, toKey, toValues } from '../tables.ts';
import type { Cell, Database, Statement } from './driver.ts';
import { isRefusedRow } from './errors.ts';
import { createAccountCheck } from './send-writers.ts';
import { createTransaction } from './transaction.ts';
import { createUsageWriter, type SeenUsage } from './usage.ts';

const taken: CommitOutcome = Object.freeze({ taken: true });
const versionMoved: CommitOutcome = Object.freeze({ taken: false, reason: 'VERSION_MOVED' });
const keyMoved: CommitOutcome = Object.freeze({ taken: false, reason: 'KEY_MOVED' });
const usageMoved: CommitOutcome = Object.freeze({ taken: false, reason: 'USAGE_MOVED' });
const nonceMoved: CommitOutcome = Object.freeze({ taken: false, reason: 'NONCE_MOVED' });
const revisionMoved: CommitOutcome = Object.freeze({ taken: false, reason: 'REVISION_MOVED' });

/** Writes one batch in one synchronous transaction. Throws a busy error, with nothing written, while another connection writes. */
export type CommitBatch = (batch: readonly Commit[], fence?: SettingRow) => readonly CommitOutcome[];

/** Prepares the statements of the commit path once and returns the function that runs it. */
export function createCommitBatch(db: Database): CommitBatch {
  const transaction = createTransaction(db);
  const write = createWriter(db);
  const usageWriter = createUsageWriter(db);
  const areCurrent = createKeyCheck(db);
  const areAccountsCurrent = createAccountCheck(db);
  const selectHead = db.prepare('SELECT version, mac FROM organizations WHERE organization_id = ?');
  const updateHead = db.prepare('UPDATE organizations SET version = ?, mac = ? WHERE organization_id = ?');
  const insertActivity = db.prepare(`INSERT INTO activities (${activities.list}) ${valuesOf(activities)} ON CONFLICT DO NOTHING`);
  const updateActivity = db.prepare(
    `UPDATE activities SET revision = ?, status = ?, mac = ?, body = ?, packed = ?
     WHERE organization_id = ? AND id = ? AND revision = ? AND fingerprint = ? AND type = ?
       AND status NOT IN (${terminalList})`,
  );
  const sweepTombstones = db.prepare('DELETE FROM tombstones WHERE organization_id = ? AND version < ?');
  const selectSetting = db.prepare('SELECT body FROM settings WHERE name = ?');
  // Prepared on first use, because an earlier schema lacks the table.
  let insertLogEntry: Statement | undefined;
  const selectByRequest = db.prepare(
    'SELECT id FROM activities WHERE organization_id = ? AND requested_at_ms = ? AND fingerprint = ?',
  );

  function putActivity(row: ActivityRow): CommitOutcome {
    const { organizationId, id, revision, fingerprint, requestedAtMs, type, status, mac } = row;
    if (revision > 0) {
      const [body, packed] = activities.encode(row).slice(-2) as [string, Uint8Array];
      const changes = updateActivity.run(
        revision,
        status,
        mac,
        body,
        packed,
        organizationId,
        id,
        revision - 1,
        fingerprint,
        type,
      );
      return changes === 1 ? taken : revisionMoved;
    }
    const changes = insertActivity.run(...activities.encode(row));
    if (changes === 1) return taken;
    const activityId = selectByRequest.value(organizationId, requestedAtMs, fingerprint);
    return typeof activityId === 'string' ? { taken: false, reason: 'FINGERPRINT_EXISTS', activityId } : revisionMoved;
  }

  function putLogEntry({ organizationId, activityId, revision, format, body, mac }: LogEntryRow): void {
    insertLogEntry ??= db.prepare(
      'INSERT INTO log_queue (organization_id, activity_id, revision, format, body, mac) VALUES (?, ?, ?, ?, ?, ?)',
    );
    insertLogEntry.run(organizationId, activityId, revision, format, body, mac);
  }

  /** INVARIANT: everything that can reject an entry comes before its first persistent write, so a rejected entry leaves no trace. */
  function put(commit: Commit, heads: Map<string, Head | undefined>, seen: SeenUsage): CommitOutcome {
    const detail = brokenRule(commit);
    if (detail !== undefined) return { taken: false, reason: 'INVALID', detail };

    const headOf = (id: string): Head | undefined => {
      if (!heads.has(id)) heads.set(id, toHead(selectHead.row(id)));
      return heads.get(id);
    };
    const { organizationId, expected, head, activity, logEntry, writes, alsoExpect, usage, accounts } = commit;
    const inserted = insertedOrganizations(commit);
    if (inserted.some((id) => headOf(id) !== undefined)) return versionMoved;
    if (!inserted.includes(organizationId) && !sameHead(headOf(organizationId), expected)) return versionMoved;

    if (alsoExpect !== undefined && !sameHead(headOf(alsoExpect.organizationId), alsoExpect)) return versionMoved;

    const keys = usedKeys(commit);
    if (keys !== undefined && !areCurrent(keys)) return keyMoved;

    if (usage !== undefined && !usageWriter.isCurrent(usage, seen)) return usageMoved;
    if (accounts !== undefined && !areAccountsCurrent(accounts)) return nonceMoved;

    const outcome = activity === undefined ? taken : putActivity(activity);
    if (!outcome.taken) return outcome;
    if (logEntry !== undefined) putLogEntry(logEntry);
    for (const one of writes) write(one);
    if (head !== undefined) updateHead.run(head.version, head.mac, organizationId);
    const swept = sweptTombstones(head);
    if (swept !== undefined) sweepTombstones.run(organizationId, swept);
    // Last, because an entry that a savepoint rolls back must not leave its head here.
    if (head !== undefined) heads.set(organizationId, head);
    for (const one of writes) if (one.table === 'organizations') heads.set(one.row.organizationId, one.row);
    if (usage !== undefined) usageWriter.add(usage, seen);
    return taken;
  }

  /** Slow path after a rejected row: a savepoint around each entry shows which entry caused it. */
  function putGuarded(commit: Commit, heads: Map<string, Head | undefined>, seen: SeenUsage): CommitOutcome {
    db.exec('SAVEPOINT entry');
    try {
      return put(commit, heads, seen);
    } catch (error) {
      if (!isRefusedRow(error)) throw error;
      db.exec('ROLLBACK TO entry');
      return { taken: false, reason: 'INVALID', detail: (error as Error).message };
    } finally {
      if (db.isTransaction) db.exec('RELEASE entry');
    }
  }

  return (batch, fence) => {
    const run = (apply: typeof put) => () => {
      if (fence !== undefined && selectSetting.value(fence.name) !== fence.body)
        throw new StoreFenced(`${fence.name} is another`);
      const heads = new Map<string, Head | undefined>();
      const seen: SeenUsage = new Map();
      return batch.map((commit) => apply(commit, heads, seen));
    };
    try {
      return transaction(run(put));
    } catch (error) {
      if (!isRefusedRow(error)) throw error;
      return transaction(run(putGuarded));
    }
  };
}

/** Whether the keys that a commit used are still those to use. */
function createKeyCheck(db: Database): (keys: UsedKeys) => boolean {
  const selectRotation = db.prepare('SELECT 1 FROM settings WHERE name = ?');
  // Prepared on first use, because an earlier schema lacks the column.
  let selectGeneration: Statement | undefined;
  return ({ generations, rotations }) => {
    if (rotations.some((name) => selectRotation.value(name) !== undefined)) return false;
    selectGeneration ??= db.prepare('SELECT generation FROM data_keys WHERE organization_id = ?');
    for (const [organizationId, generation] of generations)
      if ((selectGeneration.value(organizationId) ?? generation) !== generation) return false;
    return true;
  };
}

function toHead(row: readonly Cell[] | undefined): Head | undefined {
  return row && { version: row[0] as number, mac: row[1] as Uint8Array };
}

/** Writes single rows. */
export function createWriter(db: Database): (write: Write) => void {
  const insertHead = db.prepare(`INSERT INTO organizations (${organizations.list}) ${valuesOf(organizations)}`);
  // Prepared on first use, because an earlier schema lacks some of the tables.
  const puts = forEachWritten((table) => {
    let prepared: Statement | undefined;
    return () => {
      prepared ??= db.prepare(putInto(table, valuesOf(table)));
      return prepared;
    };
  });
  const deletes = forEachWritten(({ name, key }) => {
    let prepared: Statement | undefined;
    return () => {
      prepared ??= db.prepare(`DELETE FROM ${name} WHERE ${key.map((column) => `${column.name} = ?`).join(' AND ')}`);
      return prepared;
    };
  });
  return (write) => {
    if (write.op === 'insert') insertHead.run(...organizations.encode(write.row));
    else if (write.op === 'put') puts[write.table]().run(...toValues(write));
    else deletes[write.table]().run(...toKey(write));
  };
}

/** VALUES clause with one placeholder per column. */
const valuesOf = ({ columns }: TableShape) => `VALUES (${columns.map(() => '?').join(', ')})`;
