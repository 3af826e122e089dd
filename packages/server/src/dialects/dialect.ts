import type { ActivityDefinition, ActivityDetails, ActivityVersion, ServiceError } from '@countersign/contract';
import type { z } from 'zod';
import type { ActivityRecord } from '../organizations/activity-record.ts';
import type { Snapshot } from '../organizations/snapshot.ts';

/** One rendering of the same activities and errors, under its own base path. Pure. */
export interface Dialect {
  readonly name: 'spec' | 'turnkey';
  /** What stands before `/public/v1`. */
  readonly basePath: string;
  /** Keys that a submit body may have beside the four of the specification. They are not looked at. */
  readonly ignoredSubmitKeys: readonly string[];
  /** Paths after the base path that clients of the dialect know and this server does not serve, with the reason. */
  readonly notOffered: ReadonlyMap<string, string>;
  /** Whether answers show what the specification has no field for: the `time` of a policy, and that a private key is disabled. */
  readonly showBeyondSpec: boolean;
  /** The versions of an activity that its path takes. */
  acceptedVersions(definition: ActivityDefinition): readonly ActivityVersion[];
  /** The schema of a version's parameters on this base path. */
  paramsOf(version: ActivityVersion): z.ZodType;
  /** The response to a submit; the credentials that an activity was submitted with are for its submitter alone. */
  showSubmitted(record: ActivityRecord, organization: Snapshot, callerId: string): unknown;
  /** An activity within a query's data, without the credentials that it was submitted with. */
  showActivity(record: ActivityRecord, organization: Snapshot, callerId: string): ActivityDetails;
  /** The response to a query; `meta` is what an envelope needs beyond the data. */
  showQueried(data: unknown, meta: { readonly id: string; readonly organizationId: string; readonly nowMs: number }): unknown;
  showError(error: ServiceError): unknown;
}
