import type { ActivityDefinition } from '@countersign/contract';
import type { Authorize } from '@countersign/judgement';
import type { Admission } from '../admission/index.ts';
import type { Auth } from '../auth/open-auth.ts';
import type { Backtest, Explanations, PastRequests } from '../backtest/backtest-types.ts';
import type { ChainReads } from '../chain-nodes/chain-reads.ts';
import type { NodeShares } from '../chain-nodes/node-shares.ts';
import type { ChainNodes } from '../chain-nodes/open-chain-nodes.ts';
import type { Limits } from '../config/limits.ts';
import type { Log } from '../log/open-log.ts';
import type { Notify } from '../notify/open-notify.ts';
import type { Organizations } from '../organizations/open-organizations.ts';
import type { LocalChange } from '../organizations/snapshot/changes.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import type { SendingService } from '../sending/sending.ts';
import type { Alarms } from '../statistics/alarms.ts';
import type { LatencyRecorder } from '../statistics/latency-recorder.ts';
import type { Metrics } from '../statistics/metrics.ts';
import type { SessionRecorder } from '../statistics/session-uses.ts';
import type { Store } from '../store/store.ts';
import type { UsageServices } from '../usage/open-usage.ts';
import type { Vault } from '../vault/vault.ts';
import type { Committer } from './commit/committer.ts';
import type { OrganizationLock } from './commit/organization-lock.ts';
import type { ReplayCache } from './commit/replay-cache.ts';
import type { AnyExecutor, Executors } from './plan/executor.ts';

/** The dependencies of the pipeline. A function takes the part that it needs. */
export interface PipelineServices {
  readonly limits: Limits;
  readonly clock: { nowMs(): number };
  /** Creates ids that sort by creation time. */
  newId(): string;
  /** The same for organizations. Their ids also name the shard. */
  newOrganizationId(): string;
  readonly executors: Executors;
  readonly store: Store;
  readonly vault: Vault;
  readonly organizations: Organizations;
  readonly auth: AuthServices;
  readonly policies: PolicyServices;
  /** The usage of spending limits. */
  readonly usage: UsageServices;
  readonly commits: CommitServices;
  readonly log: Log;
  readonly notify: Notify;
  /** The nodes of chains that the operator configured. */
  readonly chainNodes: ChainNodes;
  /** What queries read from them, within the budgets of tenants. */
  readonly chainReads: ChainReads;
  /** The shares of tenants in the calls of plans. */
  readonly planShares: NodeShares;
  /** The same for following what they sent. */
  readonly followShares: NodeShares;
  readonly sending: SendingService;
  readonly admission: Admission;
  readonly statistics: Statistics;
}

export interface AuthServices extends Auth {
  /** The changes that follow the first use of a mailed key. */
  activateMailedKey(organization: Snapshot, apiKeyId: string, limits: Limits, nowMs: number): readonly LocalChange[];
}

/** Decides about activities, and replays the decisions of the past. */
export interface PolicyServices {
  readonly authorize: Authorize;
  readonly backtest: Backtest;
  readonly pastRequests: PastRequests;
  readonly explanations: Explanations;
}

export interface CommitServices {
  /** Number of the epoch of this server. Log entries name it. */
  readonly epoch: number;
  readonly committer: Committer;
  readonly lock: OrganizationLock;
  readonly replayCache: ReplayCache;
}

export interface Statistics {
  readonly metrics: Metrics;
  readonly alarms: Alarms;
  /** Request latencies. */
  readonly latencies: LatencyRecorder;
  /** How sessions are used. */
  readonly sessions: SessionRecorder;
}

/** The executor of an activity. */
export function executorOf({ executors }: Pick<PipelineServices, 'executors'>, { name }: ActivityDefinition): AnyExecutor {
  return executors[name as keyof typeof executors] as unknown as AnyExecutor;
}
