import type { ActivityDefinition, ActivityVersion, ParameterReader } from '@countersign/contract';
import type { AdmittedRequest } from '../admission/index.ts';
import type { ActivityRecord } from '../organizations/activity-record.ts';
import type { Snapshot } from '../organizations/snapshot.ts';
import type { Caller, StampedBody } from './authenticate/authenticate.ts';

/** A submit request that was read and matched to its operation. Nobody has checked its stamp yet. */
export interface SubmitRequest {
  readonly definition: ActivityDefinition;
  readonly version: ActivityVersion;
  readonly organizationId: string;
  readonly timestampMs: string;
  /** How the caller's path takes these parameters. */
  readonly reader: ParameterReader;
  /** The parameters as the caller's version has them, not yet checked. */
  readonly parameters: unknown;
  readonly bodyText: string;
  readonly fingerprint: string;
  readonly stamped: StampedBody;
  readonly admitted: AdmittedRequest;
}

/** An activity as it stands after the request, and what its rendering needs. */
export interface Submitted {
  readonly record: ActivityRecord;
  readonly organization: Snapshot;
  readonly caller: Caller;
}
