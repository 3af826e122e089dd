import type { Oidc } from '../auth/oidc/oidc.ts';
import type { VerifierCache } from '../auth/verifier-cache.ts';
import type { Config } from '../config/settings.ts';
import type { Resources } from '../organizations/resources.ts';
import type { Snapshots } from '../organizations/snapshots.ts';
import type { Store } from '../store/store.ts';
import type { Vault } from '../vault/vault.ts';
import type { Announce } from '../webhooks/announce.ts';
import type { Reachable } from '../webhooks/reachable.ts';
import type { ActivityReader } from './activities.ts';
import type { ActivityRecord } from './activity-record.ts';
import type { Authorize } from './authorize.ts';
import type { Committer } from './committer.ts';
import type { Exclusive } from './exclusive.ts';
import type { Executors } from './executor.ts';

/** Everything the pipeline works with, passed plainly. */
export interface PipelineServices {
  readonly config: Config;
  readonly store: Store;
  readonly vault: Vault;
  readonly snapshots: Snapshots;
  readonly resources: Resources;
  readonly activities: ActivityReader;
  readonly committer: Committer;
  readonly exclusive: Exclusive;
  readonly executors: Executors;
  readonly authorize: Authorize;
  readonly verifiers: VerifierCache;
  readonly oidc: Oidc;
  readonly clock: { nowMs(): number };
  /** Ids that sort by the time they were made. */
  newId(): string;
  /** The rows that tell whoever listens of an activity. */
  readonly announce: Announce;
  readonly reachable: Reachable;
  /** Told of every activity that a commit made durable. */
  onActivity(record: ActivityRecord): void;
  /** Told when a commit put messages into the outbox. */
  onOutbox(): void;
  /** Told when a commit announced something to webhook endpoints. */
  onEvents(): void;
}
