import { setTimeout as sleep } from 'node:timers/promises';
import { consistencyProof } from '@countersign/tlog';
import type { Logger } from 'pino';
import type { WitnessSetting } from '../config/witnesses.ts';
import { createSignal } from '../notify/delivery/signal.ts';
import type { Store } from '../store/store.ts';
import { DatabaseBehind } from '../store/store-errors.ts';
import type { Vault } from '../vault/vault.ts';
import { emptyPosition } from './append-position.ts';
import { writeBaseline } from './baseline.ts';
import { checkpointKeyText } from './checkpoint.ts';
import { CheckpointPublisher } from './checkpoint-publisher.ts';
import { INSTALLATION } from './entry.ts';
import { createLocalTreeState, type LocalTreeState } from './local-tree-state.ts';
import { databaseBehind, LogError, logAltered } from './log-error.ts';
import { LogFollower } from './log-follower.ts';
import type { ReplayFiles } from './replay-files.ts';
import { createSequencer } from './sequencer.ts';
import { type Tree, treeReader } from './tree.ts';
import type { UnloggedCommits } from './unlogged-commits.ts';
import type { SignedTree } from './witness/witness-client.ts';
import { createWitnessPoller, type WitnessAge, type WitnessPoller } from './witness/witness-poller.ts';

export interface LogServices {
  readonly store: Store['log'];
  /** For the first head map. */
  readonly state: Pick<Store, 'organizations' | 'usage'>;
  readonly vault: Pick<Vault, 'integrity' | 'service'>;
  /** The name of the log in its checkpoints. */
  origin(): Promise<string>;
  /** Files that store the last checkpoint that this server saw: one in its data directory, and others that the operator configured. */
  readonly checkpointPaths: readonly string[];
  readonly witnesses: readonly WitnessSetting[];
  /** How long the confirmation of a witness is valid. Undefined if none is required. */
  readonly requireWitness?: number | undefined;
  readonly clock: { nowMs(): number };
  /** The clock of this machine. The clock of the installation may be ahead of it, and a witness does not know that clock. */
  readonly system: { nowMs(): number };
  readonly log: Logger;
  alarm(organizationId: string, what: string): void;
  /** Number of the epoch of this server. */
  readonly epoch: number;
  /** The commits of this process that are not in the log yet. */
  readonly unlogged: UnloggedCommits;
  /** Stores what the next start needs of the end of the log. */
  readonly replayFiles: ReplayFiles;
  /** Called with the replay keys of activities in the log whose bodies could still be replayed, from any process. */
  onReplayKeys(keys: Uint32Array): void;
  /** Called for the version of the head in each new leaf, from any process. */
  onHead(organizationId: string, version: number, step: { readonly type: string; readonly status: string }): void;
}

interface OpenLog {
  readonly origin: string;
  readonly view: LocalTreeState;
  readonly follower: LogFollower;
}

/** Poll interval without a notification: another process may have added entries. */
const POLL_MS = 1_000;
/** How long entries gather. Each step costs one durable transaction, which must not slow signing down. */
const GATHER_MS = 500;
/** Shortest interval between passes on behalf of unauthenticated callers. */
const LOOK_MS = 250;
/** How long readers get a cosigned checkpoint although a newer one without cosignatures exists. */
const SHOW_COSIGNED_MS = 10_000;
/** Interval at which unlogged commits are checked, even if passes fail. */
const CHECK_MS = 1_000;
/** Pause before another process may have integrated the entries that this process waits for. */
const RETRY_MS = 100;
/** Interval at which the same alarm is raised again. */
const ALARM_MS = 60_000;

/** The append-only log of the installation, as one process keeps and follows it. */
export class InstallationLog {
  readonly #services: LogServices;
  readonly #publisher: CheckpointPublisher;
  readonly #witnesses: WitnessPoller | undefined;
  readonly #signal = createSignal();
  /** An entry may be pending. */
  readonly notify = this.#signal.notify;
  readonly #ended = new AbortController();
  readonly #alarmedAtMs = new Map<string, number>();
  #open: OpenLog | undefined;
  #error: LogError | undefined;
  #lastTask: Promise<unknown> = Promise.resolve();
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> = Promise.resolve();
  #running: Promise<void> | undefined;
  #checking: NodeJS.Timeout | undefined;

  constructor(services: LogServices) {
    const { store, vault, clock, witnesses, requireWitness: requireSeconds, system, log } = services;
    this.#services = services;
    this.#publisher = new CheckpointPublisher(vault.service, services.checkpointPaths, clock);
    if (witnesses.length === 0) return;
    this.#witnesses = createWitnessPoller({
      witnesses,
      requireSeconds,
      published: () => this.#signedTree(),
      catchUp: () => this.catchUp(),
      consistencyProof: (oldSize, tree) => consistencyProof(oldSize, tree.size, treeReader(store, tree)),
      nowMs: system.nowMs,
      log,
      alarm: (what) => this.#raise(what),
    });
  }

  /** Checks the stored log against the state that this server saw, and catches up. Throws LogError if it does not verify. */
  async open(): Promise<void> {
    const { store, vault, clock, alarm, epoch, replayFiles, onReplayKeys, onHead, unlogged } = this.#services;
    const { integrity } = vault;
    const [newest, ...older] = await this.#publisher.recorded();
    for (const checkpoint of older) await createLocalTreeState(store, integrity, checkpoint).refresh();
    const view = createLocalTreeState(store, integrity, newest);
    const sequencer = createSequencer({ store, integrity, view, clock, alarm, epoch, startsWithMap: true });
    const follower = new LogFollower({
      store,
      integrity,
      view,
      sequencer,
      files: replayFiles,
      onReplayKeys,
      onLeaf: (leaf) => unlogged.leafSeen(leaf),
      onHead,
    });
    this.#open = { origin: await this.#services.origin(), view, follower };
    await this.#exclusive(async () => {
      await follower.start(clock.nowMs());
      await this.#pass(true);
      if (view.seen.mapRoot.length > 0) return;
      await this.#writeBaseline(view);
      await this.#pass(true);
    });
    // Before the first request: a witness may know of another copy of the installation that has advanced.
    await this.#witnesses?.ask();
  }

  /** The log that this process has seen. */
  seen(): Tree {
    return this.#open?.view.seen ?? emptyPosition;
  }

  /** Keeps the log until `stop`. */
  start(): void {
    this.#running ??= this.#work();
    this.#checking ??= setInterval(() => this.#services.unlogged.check(), CHECK_MS).unref();
    this.#witnesses?.start();
  }

  /** Integrates pending entries, follows other processes and publishes, now. */
  catchUp(): Promise<void> {
    return this.#exclusive(() => this.#pass(true));
  }

  /**
   * Like `catchUp`, until the log has every commit that this process made in an organization before the call. Throws LogError if one is
   * overdue: the leaves of the organization are not complete then.
   */
  async catchUpWith(organizationId: string): Promise<void> {
    const { unlogged } = this.#services;
    const { lastNumber } = unlogged;
    for (;;) {
      await this.catchUp();
      const missing = unlogged.oldestOf(organizationId, lastNumber);
      if (missing === undefined) return;
      if (missing.isOverdue) throw logAltered(`it lacks the activity ${missing.activityId}, which this server executed`);
      // Another process may be integrating the entry.
      await sleep(RETRY_MS);
    }
  }

  /** Like `catchUp`, at most every `LOOK_MS`: for unauthenticated callers. */
  lookAgain(): Promise<void> {
    if (performance.now() - this.#lookedAtMs >= LOOK_MS) {
      this.#lookedAtMs = performance.now();
      this.#looking = this.#exclusive(() => this.#attempt(() => this.#pass(true)));
    }
    return this.#looking;
  }

  /** The last published tree, with the cosignatures that have arrived for it. */
  published(): SignedTree {
    const signed = this.#signedTree();
    const cosigned = this.#witnesses?.cosigned();
    return cosigned?.size === signed.size ? cosigned : signed;
  }

  /** The tree for readers of the log: the newest cosigned one, unless it is outdated. */
  shown(): SignedTree {
    const cosigned = this.#witnesses?.cosigned();
    return cosigned !== undefined && performance.now() - cosigned.atMs < SHOW_COSIGNED_MS ? cosigned : this.#signedTree();
  }

  /**
   * Why requests are suspended: the stored log does not match the log that this process or a witness last saw, it lacks activities that
   * this process executed, or a required confirmation by a witness is missing. Undefined if requests are served.
   */
  error(): LogError | undefined {
    return this.#error ?? this.#services.unlogged.error() ?? this.#witnessError();
  }

  /**
   * Time until which activities may be missing, because the operator accepted a database that had lost some. Bodies that were stamped
   * before that may have been executed already. 0 if that never happened.
   */
  lossAcceptedAtMs(): number {
    return this.#open?.follower.lossAcceptedAtMs ?? 0;
  }

  /** How far the log is behind the commits of this process, and the witnesses behind the log. */
  lag(): { readonly unloggedMs: number; readonly witnesses: readonly WitnessAge[] } {
    return { unloggedMs: this.#services.unlogged.oldestAgeMs(), witnesses: this.#witnesses?.ages() ?? [] };
  }

  /** The key of the checkpoints, as text. */
  keyText(): string {
    return checkpointKeyText(this.#services.vault.service, this.#opened().origin);
  }

  /** Stops, after a last pass. */
  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#running;
    clearInterval(this.#checking);
    await this.#witnesses?.stop();
  }

  /** Before the log is open there is nothing to confirm: only the first organization is created then. */
  #witnessError(): LogError | undefined {
    return this.#publisher.published === undefined ? undefined : this.#witnesses?.error();
  }

  async #work(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      await this.#signal.wait(POLL_MS, signal);
      // An abort ends the wait early. It is not a failure.
      await sleep(GATHER_MS, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await this.#attempt(() => this.#exclusive(() => this.#pass(false)));
    }
    await this.#attempt(() => this.catchUp());
  }

  /** Writes the first head map of a log that an earlier release made. */
  async #writeBaseline(view: LocalTreeState): Promise<void> {
    const { store, state, vault, clock, epoch, alarm, log } = this.#services;
    await writeBaseline({
      store: { ...state, log: store },
      integrity: vault.integrity,
      view,
      clock,
      epoch,
      alarm,
      onProgress: (organizations) => log.info({ organizations }, 'writing the first head map'),
    });
  }

  async #pass(atOnce: boolean): Promise<void> {
    const { origin, view, follower } = this.#opened();
    await follower.advance({ integrateNow: atOnce });
    this.#services.unlogged.check();
    if (!atOnce && !this.#publisher.isDue()) return;
    if (!(await this.#publisher.publish(origin, view.seen))) return;
    this.#services.unlogged.published(this.#signedTree().size);
    this.#witnesses?.notify();
  }

  async #attempt(task: () => Promise<void>): Promise<void> {
    try {
      await task();
      this.#error = undefined;
    } catch (error) {
      const found = error instanceof DatabaseBehind ? databaseBehind(error.message) : error;
      if (found instanceof LogError) {
        this.#error = found;
        this.#raise(found.message);
      }
      // The database does not respond, or the disk takes no file. No entry is lost: retry later.
      else this.#services.log.warn({ err: error }, 'entries cannot be added to the log');
    }
  }

  /** Runs one task at a time: the view must not move during a step. */
  #exclusive<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#lastTask.then(task, task);
    this.#lastTask = result.catch(() => undefined);
    return result;
  }

  #raise(what: string): void {
    const now = performance.now();
    if (now - (this.#alarmedAtMs.get(what) ?? Number.NEGATIVE_INFINITY) < ALARM_MS) return;
    this.#alarmedAtMs.set(what, now);
    this.#services.alarm(INSTALLATION, what);
  }

  #signedTree(): SignedTree {
    const { published } = this.#publisher;
    if (published === undefined) throw new Error('the log is not open');
    return published;
  }

  #opened(): OpenLog {
    if (this.#open === undefined) throw new Error('the log is not open');
    return this.#open;
  }
}
