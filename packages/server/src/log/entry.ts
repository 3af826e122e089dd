import { hash } from 'node:crypto';
import type { Opening } from '@countersign/tlog';
import type { ActivityRecord } from '../organizations/activity-record.ts';
import type { LogEntryRow } from '../store/rows.ts';
import { macsEqual } from '../vault/integrity.ts';
import type { Integrity } from '../vault/vault.ts';

/** What a leaf says of an activity, apart from its place in the log. */
export type LogContent = Pick<Opening, 'fingerprint' | 'type' | 'status' | 'decisionDigest' | 'resultDigest' | 'timeMs'>;

/** Stands for the organization in leaves about the installation itself. It is no UUID, so no organization has this id. */
export const INSTALLATION = 'installation';

/** What the log says of an activity as it is stored now. */
export function contentOf(record: ActivityRecord): LogContent {
  const { fingerprint, type, status, decisions, result, changed, updatedAtMs } = record;
  return {
    fingerprint,
    type,
    status,
    decisionDigest: digestOf(decisions.at(-1)),
    resultDigest: digestOf(changed === undefined ? result : { result, changed }),
    timeMs: updatedAtMs,
  };
}

/** SHA-256 over JSON, in hex. Empty for nothing. INVARIANT: a value that was stored as JSON and read again has the same digest. */
function digestOf(value: unknown): string {
  return value === undefined || value === null ? '' : hash('sha256', JSON.stringify(value));
}

/** The entry that is committed with a revision of an activity. */
export function toLogEntry(integrity: Integrity, record: ActivityRecord, revision: number): LogEntryRow {
  return sealEntry(integrity, record.organizationId, record.id, revision, contentOf(record));
}

/** An entry about the installation itself. */
export function installationEntry(integrity: Integrity, activityId: string, content: LogContent): LogEntryRow {
  return sealEntry(integrity, INSTALLATION, activityId, 0, content);
}

/** SECURITY: whoever writes the database cannot make an entry, because its MAC takes the vault. */
function sealEntry(
  integrity: Integrity,
  organizationId: string,
  activityId: string,
  revision: number,
  content: LogContent,
): LogEntryRow {
  const entry = { organizationId, activityId, revision, body: JSON.stringify(content) };
  return { ...entry, mac: integrity.logEntry(entry) };
}

/** What an entry says. Undefined if this installation did not write it. */
export function readLogEntry(integrity: Integrity, entry: LogEntryRow): LogContent | undefined {
  return macsEqual(integrity.logEntry(entry), entry.mac) ? (JSON.parse(entry.body) as LogContent) : undefined;
}
