import type { ActivityStatus } from '@countersign/contract';
import type { ActivityRow } from '../store/rows.ts';
import type { Integrity } from '../vault/vault.ts';

/** One user's word on an activity: what was stamped and with what, so that anyone can check it. */
export interface VoteRecord {
  readonly id: string;
  readonly userId: string;
  readonly userName: string;
  readonly selection: 'VOTE_SELECTION_APPROVED' | 'VOTE_SELECTION_REJECTED';
  /** The request body exactly as it was stamped. */
  readonly message: string;
  readonly publicKey: string;
  readonly signature: string;
  readonly scheme: string;
  readonly createdAtMs: number;
}

export interface ActivityFailure {
  readonly code: number;
  readonly message: string;
  readonly details: readonly unknown[];
}

/** An activity as it is kept for ever. Dialects render it; the parameters of the submitted version are in the first vote's message. */
export interface ActivityRecord {
  readonly id: string;
  readonly organizationId: string;
  readonly type: string;
  readonly status: ActivityStatus;
  readonly fingerprint: string;
  readonly timestampMs: string;
  readonly intent: unknown;
  readonly result: unknown;
  /** What a transaction or a typed message was understood as, for people. */
  readonly parsed?: { readonly description: string; readonly fullyParsed: boolean; readonly unparsed: readonly string[] };
  readonly failure: ActivityFailure | null;
  readonly votes: readonly VoteRecord[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** The row that keeps a record. */
export function toActivityRow(integrity: Integrity, record: ActivityRecord, revision: number): ActivityRow {
  const { id, organizationId, type, status, fingerprint } = record;
  const body = JSON.stringify(record);
  return {
    organizationId,
    id,
    revision,
    fingerprint,
    type,
    status,
    body,
    mac: integrity.activity(organizationId, id, revision, body),
  };
}
