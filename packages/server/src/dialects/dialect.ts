import type { ActivityDetails, DialectDefinition, ServiceError } from '@countersign/contract';
import type { ActivityRecord } from '../organizations/activity-record.ts';
import type { Snapshot } from '../organizations/snapshot.ts';

/** A dialect of the contract and how to render it. Pure. */
export interface Dialect extends DialectDefinition {
  /** Paths after the base path that clients of the dialect know and this server does not serve, with the reason. */
  readonly notOffered: ReadonlyMap<string, string>;
  /** Whether answers have the fields that the specification does not have: the `time` of every policy, and that a private key is disabled. */
  readonly showBeyondSpec: boolean;
  /** The response to a submit or a vote. Only the submitter of the activity sees its secrets. */
  showSubmitted(record: ActivityRecord, organization: Snapshot, callerId: string): unknown;
  /** An activity within a query's data, without its secrets. */
  showActivity(record: ActivityRecord, organization: Snapshot, callerId: string): ActivityDetails;
  /** The response to a query; `meta` is what an envelope needs beyond the data. */
  showQueried(data: unknown, meta: { readonly id: string; readonly organizationId: string; readonly nowMs: number }): unknown;
  showError(error: ServiceError): unknown;
}
