import type { ActivityStatus, ErrorCode, ParsedShape } from '@countersign/contract';
import type { DecisionRecord, VoteRecord } from '@countersign/judgement';
import type { ActivityRow } from '../../store/rows.ts';
import { macsEqual } from '../../vault/integrity/integrity.ts';
import type { Integrity } from '../../vault/vault.ts';
import type { AuditChanges } from './audit-changes.ts';

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
export interface Outcome {
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
  const { judgedBy, parsed, judgedParameters, warnings, tracked, changed } = record;
  const body: Body = {
    timestampMs,
    ...(judgedBy !== undefined && { judgedBy }),
    intent,
    ...(parsed !== undefined && { parsed }),
    ...(judgedParameters !== undefined && { judgedParameters }),
    ...(warnings !== undefined && { warnings }),
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
