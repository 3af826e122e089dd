import type { ActivityDefinition } from '@countersign/contract';
import type { Authorize } from '@countersign/judgement';
import type { Admission, Buckets, LongAnswers } from '../admission/index.ts';
import type { Oidc } from '../auth/oidc/oidc.ts';
import type { Limits } from '../config/limits.ts';
import type { LogAudit } from '../log/audit.ts';
import type { StepWaits } from '../log/long-poll.ts';
import type { LogProofs } from '../log/proofs.ts';
import type { ActivityReader } from '../organizations/activities.ts';
import type { ActivityRecord } from '../organizations/activity-record.ts';
import type { LocalChange } from '../organizations/changes.ts';
import type { Resources } from '../organizations/resources.ts';
import type { Snapshot } from '../organizations/snapshot.ts';
import type { Snapshots } from '../organizations/snapshots.ts';
import type { SuborgNames } from '../organizations/suborg-names.ts';
import type { UsageReader } from '../organizations/usage-reader.ts';
import type { DurationBook } from '../statistics/latency-recorder.ts';
import type { Store } from '../store/store.ts';
import type { UsageLeases } from '../usage/usage-lease.ts';
import type { UsageService } from '../usage/usage-service.ts';
import type { Vault } from '../vault/vault.ts';
import type { Announce } from '../webhooks/announce.ts';
import type { Reachable } from '../webhooks/reachable.ts';
import type { StampRules } from './authenticate/authenticate.ts';
import type { Backtest, PastRequests } from './backtest/reading-the-past.ts';
import type { Committer } from './commit/committer.ts';
import type { OrganizationLock } from './commit/organization-lock.ts';
import type { ReplayCache } from './commit/replay-cache.ts';
import type { KeptAnswers } from './kept-answers.ts';
import type { Executor, Executors, GuessingAlarm } from './plan/executor.ts';

/** Everything the pipeline works with, passed plainly. */
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
  /** Decides who is served when. */
  readonly admission: Admission;
  /** How many refused activities of a user are kept, by organization and user. */
  readonly keptRefusals: Pick<Buckets, 'take'>;
  /** Ids that sort by the time they were made. */
  newId(): string;
  /** The rows that tell whoever listens of an activity. */
  readonly announce: Announce;
  readonly reachable: Reachable;
  readonly reachableByPush: Reachable;
  /** What the controls of organizations have counted. */
  readonly usage: UsageReader;
  /** The same for decisions and commits. */
  readonly usageBook: UsageService;
  readonly countingTurns: UsageLeases;
  /** What organizations may ask of the installation's log. */
  readonly logProofs: LogProofs;
  /** Requests that wait for the next step of an organization. */
  readonly stepWaits: StepWaits;
  /** How long requests took. */
  readonly durations: DurationBook;
  readonly keptAnswers: KeptAnswers;
  readonly longAnswers: LongAnswers;
  /** Until when activities may be missing, because the operator accepted that. 0 if none are. */
  lossAcceptedAtMs(): number;
  /** The log for files that are verified elsewhere. */
  readonly logAudit: LogAudit;
  /** What follows from the first use of a key that came by mail. */
  openMailedKey(organization: Snapshot, apiKeyId: string, limits: Limits, nowMs: number): readonly LocalChange[];
  /** Told of every activity that a commit made durable. */
  onActivity(record: ActivityRecord): void;
  /** Told when somebody guesses one-time codes. */
  onGuessing(organizationId: string, alarm: GuessingAlarm): void;
  /** Told when a commit put messages into the outbox. */
  onOutbox(): void;
  /** Told when a commit announced something to webhook endpoints. */
  onEvents(): void;
}

/** How an activity of the contract is carried out. */
export function executorOf(
  { executors }: Pick<PipelineServices, 'executors'>,
  { name }: ActivityDefinition,
): Executor<ActivityDefinition> {
  return executors[name as keyof typeof executors] as unknown as Executor<ActivityDefinition>;
}
