import { hash } from 'node:crypto';
import type { Opening } from '@countersign/tlog';
import { type ActivityRecord, outcomeOf, toActivityRow } from '../organizations/activities/activity-record.ts';
import type { ActivityRow, LogEntryRow } from '../store/rows.ts';
import { macsEqual } from '../vault/integrity/integrity.ts';
import type { Integrity } from '../vault/vault.ts';

/** The content of a leaf, without its index in the log. */
export type LogContent = Pick<Opening, 'fingerprint' | 'type' | 'status' | 'decisionDigest' | 'resultDigest' | 'timeMs'>;

/** The organization id of leaves about the installation. It is not a UUID, so no organization has this id. */
export const INSTALLATION = 'installation';

/** The type of the leaf that records an accepted loss of activities. */
export const LOSS_ACCEPTED = 'LOG_LOSS_ACCEPTED';

/** The type of the leaf that records the start of an epoch: a backup was restored, or a loss was accepted. */
export const EPOCH_RAISED = 'EPOCH_RAISED';

/** Leaves that follow a loss: earlier activities may have been executed although they are missing. */
export const LOSSES: ReadonlySet<string> = new Set([LOSS_ACCEPTED, EPOCH_RAISED]);

/** The log content of an activity as stored. */
export function contentOf(record: ActivityRecord): LogContent {
  const outcome = outcomeOf(record);
  const { fingerprint, type, status, result, changed, updatedAtMs } = record;
  return {
    fingerprint,
    type,
    status,
    decisionDigest: digestOf(outcome.decision),
    resultDigest: digestOf(changed === undefined ? outcome.result : JSON.stringify({ result, changed })),
    timeMs: updatedAtMs,
  };
}

/** SHA-256 in hex. Empty if there is no value. */
function digestOf(text: string | undefined): string {
  return text === undefined ? '' : hash('sha256', text);
}

/** A revision of an activity, and the entry that is committed with it. */
export interface LoggedActivity {
  readonly activity: ActivityRow;
  readonly logEntry: LogEntryRow;
}

/** The rows to commit for a revision of an activity. */
export function toLoggedActivity(integrity: Integrity, record: ActivityRecord, revision: number): LoggedActivity {
  return {
    activity: toActivityRow(integrity, record, revision),
    logEntry: sealEntry(integrity, record.organizationId, record.id, revision, contentOf(record)),
  };
}

/** An entry about the installation itself. */
export function installationEntry(integrity: Integrity, activityId: string, content: LogContent): LogEntryRow {
  return sealEntry(integrity, INSTALLATION, activityId, 0, content);
}

/** SECURITY: an entry cannot be forged in the database, because its MAC needs the vault. */
function sealEntry(
  integrity: Integrity,
  organizationId: string,
  activityId: string,
  revision: number,
  content: LogContent,
): LogEntryRow {
  const body = JSON.stringify(content);
  return {
    organizationId,
    activityId,
    revision,
    format: 1,
    body,
    mac: integrity.logEntry({ format: 1, organizationId, activityId, revision, body }),
  };
}

/** The content of an entry. Undefined if this installation did not write it. */
export function readLogEntry(integrity: Integrity, entry: LogEntryRow): LogContent | undefined {
  return macsEqual(integrity.logEntry(entry), entry.mac) ? (JSON.parse(entry.body) as LogContent) : undefined;
}
