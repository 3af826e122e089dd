import type { ActivityDefinition } from '@countersign/contract';
import type { Authorize } from '@countersign/judgement';
import type { Admission, Buckets, LongAnswers } from '../admission/index.ts';
import type { Oidc } from '../auth/oidc/oidc.ts';
import type { Limits } from '../config/limits.ts';
import type { LogAudit } from '../log/audit.ts';
import type { StepWaits } from '../log/long-poll.ts';
import type { LogProofs } from '../log/proofs.ts';
import type { Reachable } from '../notify/webhooks/egress-allowlist.ts';
import type { Announce } from '../notify/webhooks/webhook-events.ts';
import type { ActivityReader } from '../organizations/activities/activities.ts';
import type { ActivityRecord } from '../organizations/activities/activity-record.ts';
import type { LocalChange } from '../organizations/snapshot/changes.ts';
import type { Resources } from '../organizations/snapshot/resources.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import type { Snapshots } from '../organizations/snapshot/snapshots.ts';
import type { SuborgNames } from '../organizations/snapshot/suborg-names.ts';
import type { UsageReader } from '../organizations/usage-reader.ts';
import type { DurationBook } from '../statistics/latency-recorder.ts';
import type { Store } from '../store/store.ts';
import type { UsageLeases } from '../usage/usage-lease.ts';
import type { UsageService } from '../usage/usage-service.ts';
import type { Vault } from '../vault/vault.ts';
import type { StampRules } from './authenticate/authenticate.ts';
import type { Backtest, PastRequests } from './backtest/history-reader.ts';
import type { Committer } from './commit/committer.ts';
import type { OrganizationLock } from './commit/organization-lock.ts';
import type { ReplayCache } from './commit/replay-cache.ts';
import type { KeptAnswers } from './kept-answers.ts';
import type { Executor, Executors, GuessingAlarm } from './plan/executor.ts';

/** The dependencies of the pipeline. */
export interface PipelineServices {
  readonly limits: Limits;
  readonly stampRules: StampRules;
  readonly store: Store;
  readonly vault: Vault;
  readonly snapshots: Snapshots;
  readonly resources: Resources;
  readonly suborgNames: SuborgNames;
  readonly activities: ActivityReader;
  readonly replayCache: ReplayCache;
  readonly committer: Committer;
  readonly lock: OrganizationLock;
  readonly executors: Executors;
  readonly authorize: Authorize;
  readonly backtest: Backtest;
  readonly pastRequests: PastRequests;
  readonly oidc: Oidc;
  readonly clock: { nowMs(): number };
  /** Schedules requests. */
  readonly admission: Admission;
  /** The daily quota of stored denials, by organization and user. */
  readonly keptRefusals: Pick<Buckets, 'take'>;
  /** Creates ids that sort by creation time. */
  newId(): string;
  /** Creates the event rows of an activity for its listeners. */
  readonly announce: Announce;
  readonly reachable: Reachable;
  readonly reachableByPush: Reachable;
  /** The usage of spending limits, for queries. */
  readonly usage: UsageReader;
  /** The usage of spending limits, for decisions and commits. */
  readonly usageBook: UsageService;
  readonly countingTurns: UsageLeases;
  /** Log proofs that organizations can query. */
  readonly logProofs: LogProofs;
  /** Requests that wait for the next step of an organization. */
  readonly stepWaits: StepWaits;
  /** Request latencies. */
  readonly durations: DurationBook;
  readonly keptAnswers: KeptAnswers;
  readonly longAnswers: LongAnswers;
  /** Time until which activities may be missing because the operator accepted their loss. 0 if none are. */
  lossAcceptedAtMs(): number;
  /** Exports the log for verification elsewhere. */
  readonly logAudit: LogAudit;
  /** The changes that follow the first use of a mailed key. */
  openMailedKey(organization: Snapshot, apiKeyId: string, limits: Limits, nowMs: number): readonly LocalChange[];
  /** Called for each activity that a commit made durable. */
  onActivity(record: ActivityRecord): void;
  /** Called when guessing of one-time codes is detected. */
  onGuessing(organizationId: string, alarm: GuessingAlarm): void;
  /** Called when a commit added messages to the outbox. */
  onOutbox(): void;
  /** Called when a commit added webhook events. */
  onEvents(): void;
}

/** The executor of an activity. */
export function executorOf(
  { executors }: Pick<PipelineServices, 'executors'>,
  { name }: ActivityDefinition,
): Executor<ActivityDefinition> {
  return executors[name as keyof typeof executors] as unknown as Executor<ActivityDefinition>;
}
