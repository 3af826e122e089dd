import type { ActivityDetails, DialectDefinition, ServiceError } from '@countersign/contract';
import type { ActivityRecord } from '../organizations/activities/activity-record.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import type { DetailsReader } from './details-reader.ts';

/** A session that an attested stamp opened. */
export interface AttestedSession {
  readonly activityId: string;
  readonly organizationId: string;
  readonly timestampMs: string;
  readonly session: string;
}

/** A dialect of the contract and its pure rendering functions. */
export interface Dialect extends DialectDefinition {
  /** Paths below the base path that clients of the dialect know but this server does not serve, with the reason. */
  readonly notOffered: ReadonlyMap<string, string>;
  /** Whether responses include fields beyond the specification, such as the `time` of a policy or whether a private key is disabled. */
  readonly showBeyondSpec: boolean;
  /** The response to a submit or a vote. Only the submitter of the activity sees its secrets. */
  showSubmitted(record: ActivityRecord, organization: Snapshot, callerId: string): unknown;
  /** An activity within a query's data, without its secrets. `reader` limits what it shows of the organization's state. */
  showActivity(record: ActivityRecord, organization: Snapshot, callerId: string, reader?: DetailsReader): ActivityDetails;
  /** The response to a query. `meta` holds the other fields of the envelope. */
  showQueried(data: unknown, meta: { readonly id: string; readonly organizationId: string; readonly nowMs: number }): unknown;
  /** The response to a login with an attested stamp. Absent if the dialect has no such stamps. */
  showAttestedLogin?(login: AttestedSession): unknown;
  /** The HTTP status and the body of an error. */
  showError(error: ServiceError): { readonly status: number; readonly body: Readonly<Record<string, unknown>> };
}
