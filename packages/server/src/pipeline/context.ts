import type { ActivityDefinition, ActivityStatus, ActivityVersion, ServiceError } from '@countersign/contract';
import type { Judgement } from '@countersign/judgement';
import type { Decision } from '@countersign/policy';
import type { UsedCredential } from '../auth/ip-allowlist.ts';
import type { ActivityRecord, VoteRecord } from '../organizations/activities/activity-record.ts';
import type { RulesState } from '../organizations/rule-change.ts';
import type { AppliedChanges } from '../organizations/snapshot/apply-changes.ts';
import type { LocalChange } from '../organizations/snapshot/changes.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import type { NewSend } from '../sending/new-send.ts';
import type { GuessingAlarm } from '../statistics/alarms.ts';
import type { UsageSnapshot } from '../usage/usage-service.ts';
import type { Authenticated } from './authenticate/authenticate.ts';
import type { Charge } from './execute/daily-quotas.ts';
import type { AnyExecutor, Identities, Plan, PlanContext } from './plan/executor.ts';
import type { SubmitRequest } from './request.ts';

// Stages list the members of the context they return: on Node 20, each member added after a spread costs 2 to 5 µs.

/** A submit request that was read and matched to its operation. */
export interface Received {
  readonly request: SubmitRequest;
}

/** After authentication: the stamp verifies. */
export interface Identified extends Received {
  readonly authenticated: Authenticated;
}

/** After reading: within all rates and quotas, and its parameters match their schema. */
export interface Accepted extends Identified {
  /** Undefined for a request that is denied without reading them. */
  readonly params: unknown;
}

/** After everything that may take long and holds for all attempts. */
export interface Prepared extends Accepted {
  readonly executor: AnyExecutor;
  /** Undefined if the parameters are not read. */
  readonly identities: Identities | undefined;
  /** See `PlanContext`. */
  readonly chain?: PlanContext['chain'];
  /** Warnings for approvers, stored with the activity. */
  readonly warnings: readonly string[];
  /** The rules that they are about. */
  readonly warnedOn?: RulesState | undefined;
  /** Whether they include those that are written if the activity becomes pending, and whether `refusal` is known. */
  readonly isChecked?: boolean;
  /** The error that the execution would end with. */
  readonly refusal?: ServiceError | undefined;
}

/** An activity with the votes so far. */
export interface Proposal {
  readonly definition: ActivityDefinition;
  readonly version: ActivityVersion;
  readonly executor: AnyExecutor;
  /** The parameters in their current form; undefined if the activity is denied without reading them. */
  readonly params: unknown;
  readonly target: Snapshot;
  /** The organization whose users and policies authorize it: the target, or its parent. */
  readonly home: Snapshot;
  /** The submitter's vote first. */
  readonly votes: readonly VoteRecord[];
  readonly nowMs: number;
  readonly identities: Identities;
  /** See `PlanContext`. */
  readonly chain?: PlanContext['chain'];
  /** See `PlanContext`. */
  readonly planned?: unknown;
  /** As executors see it. */
  readonly requester?: UsedCredential;
  /** Changes that the vote itself makes, independent of the decision. */
  readonly changes?: readonly LocalChange[];
  /** Whether it has to be checked, and warnings written, before it becomes pending. */
  readonly isUnchecked?: boolean;
  /** See `Prepared`. */
  readonly refusal?: ServiceError | undefined;
}

export interface Authorization {
  readonly decision: Decision;
  readonly judgement: Judgement;
  /** Counters of spending limits that the decision read; undefined if no limit applies. */
  readonly reading: UsageSnapshot | undefined;
}

/** An attempt: an activity with its votes, on one version of its organization. */
export interface Proposed extends Identified {
  readonly proposal: Proposal;
  /** The activity before this attempt: a new record, or the stored one that a vote is cast on. */
  readonly record: ActivityRecord;
  /** The stored state of the activity; undefined for a new one. */
  readonly stored: { readonly status: ActivityStatus; readonly revision: number } | undefined;
  readonly earlyDenial?: Decision | undefined;
}

export interface Planned extends Proposed {
  readonly plan: Plan<unknown, unknown>;
  /** Undefined if the executor was not called because of an early denial. */
  readonly planContext: PlanContext | undefined;
}

export interface Authorized extends Planned {
  readonly authorization: Authorization;
}

/** Result of an execution, to be committed. */
export interface Execution {
  readonly record: ActivityRecord;
  readonly applied: AppliedChanges;
  /** Ids of keys whose plain bytes the vault must forget after the commit. */
  readonly forget: readonly string[];
  /** Ids of keys that it signed with. */
  readonly usedKeys?: readonly string[];
  /** Transactions to send. */
  readonly sends?: readonly NewSend[];
  readonly charges?: readonly Charge[];
  readonly alarms?: readonly GuessingAlarm[];
  /** Counters of spending limits that the decision read, and whether this activity adds to them. */
  readonly usage?: { readonly reading: UsageSnapshot; readonly counts: boolean };
  /** The result for the submitter's response, if the record stores less. */
  readonly disclosed?: unknown;
}

/** After execution. Nothing is durable yet. */
export interface Executed extends Identified {
  readonly stored: Proposed['stored'];
  /** The decision on the last vote. Undefined for a rejection, and if the vote found the activity impossible. */
  readonly authorization: Authorization | undefined;
  readonly execution: Execution;
}

/** After the commit: `record` is the activity as stored. */
export interface Committed extends Executed {
  readonly record: ActivityRecord;
}
