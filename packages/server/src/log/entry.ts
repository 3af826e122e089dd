import { hash } from 'node:crypto';
import type { CreatedHead, Opening, OpeningV1, OpeningV2 } from '@countersign/tlog';
import { type ActivityRecord, outcomeOf, toActivityRow } from '../organizations/activities/activity-record.ts';
import type { ActivityRow, LogEntryRow } from '../store/rows.ts';
import { macsEqual } from '../vault/integrity/integrity.ts';
import type { Integrity } from '../vault/vault.ts';

/** The content of a leaf, without its index in the log. */
export type LogContent = Pick<
  OpeningV1,
  'version' | 'fingerprint' | 'type' | 'status' | 'decisionDigest' | 'resultDigest' | 'timeMs'
>;

/** A count of a usage bucket: its key in the head map, its revision, and the digests of its MAC and of the MAC before it, in hex. */
export type CountedUsage = readonly [key: string, revision: number, point: string, previous: string];

/** The content of an entry of format 2: also who authorized the step, and the heads after it. */
export interface HeadContent extends Omit<LogContent, 'version'>, Authorized {
  readonly version: 2;
  /** The epoch that committed the entry. */
  readonly epoch: number;
  readonly headVersion: number;
  /** SHA-256 of the head's MAC, in hex. */
  readonly headDigest: string;
  /** Organizations that the commit inserted. */
  readonly created?: readonly CreatedHead[];
  /** Usage that the commit counted. Not part of the leaf: it would show a sub-organization the buckets of its parent. */
  readonly usage?: readonly CountedUsage[];
}

type Authorized = Pick<OpeningV2, 'judgedBy' | 'credentialKind' | 'authorizationDigest'>;

/** An entry that this installation wrote. */
export interface ReadEntry {
  readonly row: Pick<LogEntryRow, 'organizationId' | 'activityId' | 'revision'>;
  readonly content: EntryContent;
}

/** The part of a log entry that does not follow from the activity: who authorized the step, and the heads after it. */
export interface LoggedStep
  extends Pick<
    HeadContent,
    'epoch' | 'credentialKind' | 'authorizationDigest' | 'headVersion' | 'headDigest' | 'created' | 'usage'
  > {
  /** The organization that authorized the step, if that is the parent. */
  readonly judgedBy?: string | undefined;
}

/** The content of an entry of any format. */
export type EntryContent = LogContent | HeadContent;

/** Version of the head that an entry or a leaf names. 0 if it names none. */
export function headVersionOf(content: EntryContent | Opening): number {
  return content.version === 2 ? content.headVersion : 0;
}

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
export function toLoggedActivity(
  integrity: Integrity,
  record: ActivityRecord,
  revision: number,
  step: LoggedStep,
): LoggedActivity {
  const { organizationId, id: activityId } = record;
  return {
    activity: toActivityRow(integrity, record, revision),
    logEntry: seal(integrity, { organizationId, activityId, revision }, contentOf(record), step),
  };
}

/** The type of the leaf of a change that the service itself made, without an activity. */
export const STATE_CHANGED = 'STATE_CHANGED';

/** What the ids of such changes begin with. */
const SYSTEM = 'system:';

/** The entry of a change that the service itself made. `changes` are the audited ones, if there are any. */
export function systemEntry(
  integrity: Integrity,
  organizationId: string,
  { id, changes, timeMs }: { readonly id: string; readonly changes: unknown; readonly timeMs: number },
  step: Pick<LoggedStep, 'epoch' | 'headVersion' | 'headDigest'>,
): LogEntryRow {
  const activityId = `${SYSTEM}${id}`;
  const resultDigest = digestOf(changes === undefined ? undefined : JSON.stringify(changes));
  const content = { fingerprint: activityId, type: STATE_CHANGED, status: 'DONE', decisionDigest: '', resultDigest, timeMs };
  return sealHeadEntry(
    integrity,
    { organizationId, activityId, revision: 0 },
    { ...content, ...step, credentialKind: 'SERVICE', authorizationDigest: '' },
  );
}

/** Whether an entry or leaf is that of a change by the service itself, which has no activity. */
export function isSystemChange({ activityId }: Pick<LogEntryRow, 'activityId'>): boolean {
  return activityId.startsWith(SYSTEM);
}

/** An entry about the installation itself. */
export function installationEntry(integrity: Integrity, epoch: number, activityId: string, content: LogContent): LogEntryRow {
  return sealHeadEntry(integrity, { organizationId: INSTALLATION, activityId, revision: 0 }, aboutInstallation(epoch, content));
}

/** Content of format 2 about the installation, which has no head. */
export function aboutInstallation(epoch: number, content: LogContent): HeadContent {
  const unauthorized = { credentialKind: 'SERVICE', authorizationDigest: '' };
  return { ...content, version: 2, epoch, ...unauthorized, headVersion: 0, headDigest: '' };
}

/**
 * Seals an entry that names heads. The members of the body have one fixed order.
 * SECURITY: an entry cannot be forged in the database, because its MAC needs the vault.
 */
export function sealHeadEntry(
  integrity: Integrity,
  { organizationId, activityId, revision }: Pick<LogEntryRow, 'organizationId' | 'activityId' | 'revision'>,
  content: Omit<HeadContent, 'version'>,
): LogEntryRow {
  return seal(integrity, { organizationId, activityId, revision }, content, content);
}

function seal(
  integrity: Integrity,
  { organizationId, activityId, revision }: Pick<LogEntryRow, 'organizationId' | 'activityId' | 'revision'>,
  { fingerprint, type, status, decisionDigest, resultDigest, timeMs }: Omit<LogContent, 'version'>,
  { epoch, judgedBy, credentialKind, authorizationDigest, headVersion, headDigest, created, usage }: LoggedStep,
): LogEntryRow {
  // No object spread: it takes several times as long, and every signature has an entry. JSON omits undefined members.
  const body = JSON.stringify({
    version: 2,
    epoch,
    fingerprint,
    type,
    status,
    decisionDigest,
    resultDigest,
    timeMs,
    judgedBy,
    credentialKind,
    authorizationDigest,
    headVersion,
    headDigest,
    created: created?.length === 0 ? undefined : created,
    usage: usage?.length === 0 ? undefined : usage,
  });
  const mac = integrity.logEntry({ organizationId, activityId, revision, format: 2, body });
  return { organizationId, activityId, revision, format: 2, body, mac };
}

/** The content of an entry. Undefined if this installation did not write it. */
export function readLogEntry(integrity: Integrity, entry: LogEntryRow): EntryContent | undefined {
  return macsEqual(integrity.logEntry(entry), entry.mac) ? (JSON.parse(entry.body) as EntryContent) : undefined;
}
