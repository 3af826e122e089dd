import type { ActivityDefinition, ActivityVersion, ParameterReader } from '@countersign/contract';
import type { AdmittedRequest } from '../admission/index.ts';
import type { ActivityRecord } from '../organizations/activities/activity-record.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import type { Caller, StampedBody } from './authenticate/authenticate.ts';

/** A submit request that was parsed and matched to its operation. Its stamp is not verified yet. */
export interface SubmitRequest {
  readonly definition: ActivityDefinition;
  readonly version: ActivityVersion;
  readonly organizationId: string;
  readonly timestampMs: string;
  /** Reads the parameters in the format of the caller's path. */
  readonly reader: ParameterReader;
  /** The parameters in the format of the caller's version, not validated yet. */
  readonly parameters: unknown;
  readonly bodyText: string;
  readonly fingerprint: string;
  readonly stamped: StampedBody;
  readonly admitted: AdmittedRequest;
}

/** An activity after the request, and the context for rendering it. */
export interface Submitted {
  readonly record: ActivityRecord;
  readonly organization: Snapshot;
  readonly caller: Caller;
}
