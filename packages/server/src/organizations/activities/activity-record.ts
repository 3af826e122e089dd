import type { ActivityStatus, ComparisonShape, ErrorCode, ParsedShape } from '@countersign/contract';
import type { DecisionRecord, VoteRecord } from '@countersign/judgement';
import type { ActivityRow } from '../../store/rows.ts';
import { macsEqual } from '../../vault/integrity/integrity.ts';
import type { Integrity } from '../../vault/vault.ts';
import { isAudited, type OrganizationRecord } from '../records.ts';
import type { RulesState } from '../rule-change.ts';
import type { Change, LocalChange } from '../snapshot/changes.ts';

export type { DecisionRecord, VoteRecord } from '@countersign/judgement';

export interface ActivityFailure {
  readonly code: number;
  /** Present if the request failed with this error: repeating the request returns the same error. */
  readonly errorCode?: ErrorCode;
  readonly message: string;
  readonly details: readonly unknown[];
}

/** An activity as stored, permanently. Dialects render it. The first vote's message holds the parameters as submitted. */
export interface ActivityRecord {
  readonly id: string;
  readonly organizationId: string;
  readonly type: string;
  readonly status: ActivityStatus;
  readonly fingerprint: string;
  readonly timestampMs: string;
  /** The organization whose users and policies authorize the activity, if that is the parent. */
  readonly judgedBy?: string;
  readonly intent: unknown;
  readonly result: unknown;
  /** Human-readable meaning of a transaction or typed message. Activities stored by older versions have no effects. */
  readonly parsed?: Omit<ParsedShape, 'effects'> & Partial<Pick<ParsedShape, 'effects'>>;
  /** The parameters as authorized, if the service added to the submitted ones. Stored once approvers are asked. */
  readonly judgedParameters?: Readonly<Record<string, unknown>>;
  /** Warnings for the approver. */
  readonly warnings?: readonly string[];
  /** The rules that the warnings are about. Absent if they are not about policies or limits. */
  readonly warnedOn?: RulesState;
  /** What the activity changed, compared with the state that its final decision was made on. */
  readonly comparison?: ComparisonShape;
  /** Set if the organization's head covers the activity while it is pending. Absent on activities stored by older versions. */
  readonly tracked?: true;
  /** The audited changes of the activity. Absent if it made none, and on activities stored by older versions. */
  readonly changed?: AuditChanges;
  readonly failure: ActivityFailure | null;
  readonly votes: readonly VoteRecord[];
  /** One per vote, in the same order. A vote that found the activity impossible to execute has none. */
  readonly decisions: readonly DecisionRecord[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** The body of a row: everything without its own column. */
type Body = Omit<ActivityRecord, 'id' | 'organizationId' | 'type' | 'status' | 'fingerprint'>;

/** The outcome of a record as JSON. Both texts are in its row, and their digests are in the log. */
interface Outcome {
  /** The newest decision, if any. */
  readonly decision: string | undefined;
  readonly result: string | undefined;
}

/** INVARIANT: a record that is stored and read again returns the same texts. */
export function outcomeOf({ decisions, result }: Pick<ActivityRecord, 'decisions' | 'result'>): Outcome {
  const last = decisions.at(-1);
  return {
    decision: last && JSON.stringify(last),
    result: result === undefined || result === null ? undefined : JSON.stringify(result),
  };
}

/** The row that stores a record. */
export function toActivityRow(integrity: Integrity, record: ActivityRecord, revision: number): ActivityRow {
  const { id, organizationId, type, status, fingerprint } = record;
  const body = bodyText(record);
  const mac = integrity.activity({ organizationId, id, revision, fingerprint, type, status, body });
  const requestedAtMs = Number(record.timestampMs);
  return { organizationId, id, revision, fingerprint, requestedAtMs, type, status, body, mac };
}

/** The JSON of the body. INVARIANT: the order of fields is the order in stored rows. */
function bodyText(record: Body): string {
  const { timestampMs, intent, failure, votes, createdAtMs, updatedAtMs, result, decisions } = record;
  const { judgedBy, parsed, judgedParameters, warnings, warnedOn, comparison, tracked, changed } = record;
  const body: Body = {
    timestampMs,
    ...(judgedBy !== undefined && { judgedBy }),
    intent,
    ...(parsed !== undefined && { parsed }),
    ...(judgedParameters !== undefined && { judgedParameters }),
    ...(warnings !== undefined && { warnings }),
    ...(warnedOn !== undefined && { warnedOn }),
    ...(comparison !== undefined && { comparison }),
    ...(tracked && { tracked }),
    ...(changed !== undefined && { changed }),
    failure,
    votes,
    createdAtMs,
    updatedAtMs,
    result,
    decisions,
  };
  return JSON.stringify(body);
}

/** Verifies and parses a row. Returns undefined if the row is not as the service stored it. */
export function toActivityRecord(integrity: Integrity, row: ActivityRow): ActivityRecord | undefined {
  if (!macsEqual(integrity.activity(row), row.mac)) return undefined;
  const { id, organizationId, type, status, fingerprint, requestedAtMs, body } = row;
  const content = JSON.parse(body) as Body;
  // SECURITY: with a different time in the index, the same body could be executed again.
  if (requestedAtMs !== Number(content.timestampMs)) return undefined;
  return { id, organizationId, type, status: status as ActivityStatus, fingerprint, ...content };
}

/** The statuses that may follow each status. A terminal status is final. */
const transitions: Readonly<Record<ActivityStatus, readonly ActivityStatus[]>> = {
  ACTIVITY_STATUS_CREATED: ['ACTIVITY_STATUS_CONSENSUS_NEEDED', 'ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_FAILED'],
  ACTIVITY_STATUS_PENDING: ['ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_FAILED'],
  ACTIVITY_STATUS_CONSENSUS_NEEDED: [
    'ACTIVITY_STATUS_CONSENSUS_NEEDED',
    'ACTIVITY_STATUS_COMPLETED',
    'ACTIVITY_STATUS_FAILED',
    'ACTIVITY_STATUS_REJECTED',
  ],
  ACTIVITY_STATUS_COMPLETED: [],
  ACTIVITY_STATUS_FAILED: [],
  ACTIVITY_STATUS_REJECTED: [],
};

/** Whether the activity can no longer change. */
export function isTerminal(status: ActivityStatus): boolean {
  return transitions[status].length === 0;
}

/** INVARIANT: R4: an activity only moves forward. The database also rejects any other transition. */
export function requireTransition(from: ActivityStatus, to: ActivityStatus): void {
  if (!transitions[from].includes(to)) throw new Error(`an activity cannot go from ${from} to ${to}`);
}

/** The changes of an activity that later decisions depend on. Replaying them allows later activities to be authorized again. */
interface AuditChanges {
  readonly changes: readonly AuditChange[];
  /** The parameters without their secrets, if the stamped body contains one and is therefore not shown to others. */
  readonly parameters?: unknown;
}

export type AuditChange = LocalAuditChange | { readonly create: string; readonly changes: readonly LocalAuditChange[] };

/** A record or resource that was written or deleted. */
type LocalAuditChange =
  | { readonly put: string; readonly id: string; readonly body: unknown }
  | { readonly drop: string; readonly id: string };

/** The changes to store with an activity. Undefined if no decision depends on them and the activity has no redacted parameters. */
export function toAuditChanges(changes: readonly Change[], parameters?: unknown): AuditChanges | undefined {
  if (changes.length === 0 && parameters === undefined) return undefined;
  const kept = changes.flatMap(toAuditChangeList);
  if (kept.length === 0 && parameters === undefined) return undefined;
  return { changes: kept, ...(parameters !== undefined && { parameters }) };
}

function toAuditChangeList(change: Change): readonly AuditChange[] {
  if (change.op !== 'createOrganization') return toLocalAuditChanges(change);
  return [{ create: change.organizationId, changes: change.changes.flatMap(toLocalAuditChanges) }];
}

function toLocalAuditChanges(change: LocalChange): readonly LocalAuditChange[] {
  switch (change.op) {
    case 'putRecord': {
      const { kind, id, body } = change;
      return isAudited(kind) ? [{ put: kind, id, body: kind === 'organization' ? withoutBilling(body) : body }] : [];
    }
    case 'deleteRecord':
      return isAudited(change.kind) ? [{ drop: change.kind, id: change.id }] : [];
    case 'putResource':
      return [{ put: change.kind, id: change.id, body: change.body }];
    case 'deleteResource':
      return [{ drop: change.previous.kind, id: change.previous.id }];
    default:
      return [];
  }
}

function withoutBilling({ paymentMethod: _, billingTier: __, ...rest }: OrganizationRecord): unknown {
  return rest;
}
