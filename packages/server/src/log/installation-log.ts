import { setTimeout as sleep } from 'node:timers/promises';
import { consistencyProof } from '@countersign/tlog';
import type { Logger } from 'pino';
import type { WitnessSetting } from '../config/witnesses.ts';
import { createSignal } from '../notify/delivery/signal.ts';
import type { Store } from '../store/store.ts';
import { DatabaseBehind } from '../store/store-errors.ts';
import type { Vault } from '../vault/vault.ts';
import { checkpointKeyText, signCheckpoint } from './checkpoint.ts';
import { checkpointFile, type SeenCheckpoint } from './checkpoint-file.ts';
import { INSTALLATION, LOSSES } from './entry.ts';
import { createLocalTreeState, type LocalTreeState } from './local-tree-state.ts';
import { databaseBehind, LogError } from './log-error.ts';
import { leavesFrom, leavesSince } from './read-leaves.ts';
import { createSequencer, type NotedContent, type Sequencer } from './sequencer.ts';
import { treeReader } from './tree.ts';
import type { SignedTree } from './witness/witness-client.ts';
import { createWitnessPoller } from './witness/witness-poller.ts';

export interface LogServices {
  readonly store: Store['log'];
  readonly vault: Pick<Vault, 'integrity' | 'service'>;
  /** The name of the log in its checkpoints. */
  origin(): Promise<string>;
  /** Where this server keeps the last checkpoint that it saw: in its data directory, and elsewhere if the operator says so. */
  readonly checkpointPaths: readonly string[];
  readonly witnesses: readonly WitnessSetting[];
  /** How long the confirmation of a witness is valid. Undefined if none is required. */
  readonly requireWitness?: number | undefined;
  readonly clock: { nowMs(): number };
  /** The clock of this machine. The installation's own may be ahead of it, and a witness knows nothing of that. */
  readonly system: { nowMs(): number };
  readonly log: Logger;
  alarm(organizationId: string, what: string): void;
  /** Called for each activity in the log whose body could still be replayed, from any process. */
  onFingerprint(organizationId: string, fingerprint: string): void;
}

/** The append-only log of the installation, as one process keeps and follows it. */
export interface InstallationLog {
  /** Checks the stored log against what this server saw, and catches up. Throws LogError if it does not verify. */
  open(): Promise<void>;
  /** Keeps the log until `stop`. */
  start(): void;
  /** Says that an entry may wait. */
  notify(): void;
  /** Integrates what waits, follows what others did and publishes it, now. */
  catchUp(): Promise<void>;
  /** The same, at most every `LOOK_MS`: for unauthenticated callers. */
  lookAgain(): Promise<void>;
  /** What was published last, with the cosignatures on it that have arrived. */
  published(): SignedTree;
  /** What readers of the log get: the newest checkpoint that was cosigned, unless that is a while ago. */
  shown(): SignedTree;
  /**
   * Why requests are suspended: the stored log does not match the log that this process or a witness last saw, or no witness
   * has confirmed it and one must. Undefined while all is well.
   */
  error(): LogError | undefined;
  /**
   * Until when activities may be missing, because the operator went on with a database that had lost some. Bodies that were stamped
   * before that may have been executed already. 0 if that never happened.
   */
  lossAcceptedAtMs(): number;
  /** The key of the checkpoints, as text. */
  keyText(): string;
  /** Ends the work, after a last look. */
  stop(): Promise<void>;
}

/** How long a stamped body can be sent again, and as long as the clocks of two nodes may differ. */
const REPLAY_MS = 70 * 60 * 1000;
/** Leaves that a start reads at most, so that it ends. More than this in the last hour is more than a server remembers. */
const MAX_TAIL = 2 ** 20;
/** How often to look without being woken: another process may have been at work. */
const POLL_MS = 1_000;
/** How long entries gather. Each step costs one durable transaction, which must not slow signing down. */
const GATHER_MS = 500;
/** How many times a process leaves integration to others before it helps: the other process may be too slow. */
const MOST_TIMES_FOLLOWED = 3;
/** How often a growing log is signed and noted in the data directory. */
const PUBLISH_MS = 1_000;
/** How often strangers can make a process look at the log. */
const LOOK_MS = 250;
/** For how long readers get a checkpoint that was cosigned rather than a newer one that is not. */
const SHOW_COSIGNED_MS = 10_000;
/** How often the same alarm is raised again while its cause lasts. */
const ALARM_MS = 60_000;

export function createInstallationLog(services: LogServices): InstallationLog {
  const { store, vault, clock, log } = services;
  const { integrity, service } = vault;
  const checkpointFiles = services.checkpointPaths.map((file) => checkpointFile(file, service.logKey));
  const signal = createSignal();
  const ended = new AbortController();
  const raised = new Map<string, number>();
  let open: { readonly origin: string; readonly view: LocalTreeState; readonly sequencer: Sequencer } | undefined;
  let published: SignedTree | undefined;
  let publishedAtMs = Number.NEGATIVE_INFINITY;
  /** The leaves before this one were looked at. */
  let followedTo = 0;
  let timesFollowed = 0; // in a row
  let looking: Promise<void> = Promise.resolve();
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let error: LogError | undefined;
  let lossAcceptedAtMs = 0;
  let running: Promise<void> | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const witnessing =
    services.witnesses.length === 0
      ? undefined
      : createWitnessPoller({
          witnesses: services.witnesses,
          requireSeconds: services.requireWitness,
          published: signed,
          catchUp: () => inTurn(() => pass(true)),
          consistencyProof: (oldSize, tree) => consistencyProof(oldSize, tree.size, treeReader(store, tree)),
          nowMs: services.system.nowMs,
          log,
          alarm: raise,
        });

  function signed(): SignedTree {
    if (published === undefined) throw new Error('the log is not open');
    return published;
  }

  function opened() {
    if (open === undefined) throw new Error('the log is not open');
    return open;
  }

  /** One at a time: the view must not move under a step. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = turn.then(work, work);
    turn = result.catch(() => undefined);
    return result;
  }

  function note({ organizationId, fingerprint, type, timeMs }: NotedContent): void {
    if (fingerprint.startsWith('sha256:')) services.onFingerprint(organizationId, fingerprint);
    // SECURITY: the type of an activity always begins with ACTIVITY_TYPE_, so no tenant can write such a leaf.
    if (LOSSES.has(type)) lossAcceptedAtMs = Math.max(lossAcceptedAtMs, timeMs);
  }

  /** Integrates until nothing waits. */
  async function integrateAll(): Promise<void> {
    for (;;) {
      const integrated = await opened().sequencer.integrate();
      if (integrated === undefined) return;
      if (integrated.from === followedTo) {
        for (const content of integrated.contents) note(content);
        followedTo += integrated.contents.length;
      }
      if (!integrated.more) return;
      // Requests that wait come first.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  /** Looks at the leaves that other processes added. Says whether there were any. */
  async function follow(): Promise<boolean> {
    const { view } = opened();
    await view.refresh();
    const before = followedTo;
    for await (const leaves of leavesFrom(store, integrity, view.seen, followedTo)) {
      for (const { opening } of leaves) note(opening);
      followedTo += leaves.length;
    }
    return followedTo > before;
  }

  /** The newest checkpoint that this server saw. The older ones are compared with the stored log here. */
  async function newestSeenCheckpoint(): Promise<SeenCheckpoint | undefined> {
    const seen = await Promise.all(checkpointFiles.map((file) => file.read()));
    const [newest, ...older] = seen.filter((each) => each !== undefined).sort((left, right) => right.size - left.size);
    for (const checkpoint of older) await createLocalTreeState(store, integrity, checkpoint).refresh();
    return newest;
  }

  async function publish(): Promise<void> {
    const { origin, view } = opened();
    const { seen } = view;
    if (published?.size === seen.size) return;
    const atMs = clock.nowMs();
    const checkpoint = await signCheckpoint(vault.service, origin, seen);
    // INVARIANT: recorded before it is published.
    for (const file of checkpointFiles) await file.raise({ atMs, checkpoint });
    published = { ...seen, checkpoint };
    publishedAtMs = performance.now();
    witnessing?.notify();
  }

  async function pass(atOnce: boolean): Promise<void> {
    // One process integrates the entries of all: two would do the same work twice.
    timesFollowed = (await follow()) ? timesFollowed + 1 : 0;
    if (atOnce || timesFollowed === 0 || timesFollowed > MOST_TIMES_FOLLOWED) {
      timesFollowed = 0;
      await integrateAll();
    }
    if (atOnce || performance.now() - publishedAtMs >= PUBLISH_MS) await publish();
  }

  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      error = undefined;
    } catch (error) {
      if (error instanceof LogError) refuse(error);
      else if (error instanceof DatabaseBehind) refuse(databaseBehind(error.message));
      // The database does not answer, or the disk takes no file. No entry is lost: try again later.
      else log.warn({ err: error }, 'the log cannot be kept now');
    }
  }

  function refuse(found: LogError): void {
    error = found;
    raise(found.message);
  }

  function raise(what: string): void {
    const now = performance.now();
    if (now - (raised.get(what) ?? Number.NEGATIVE_INFINITY) < ALARM_MS) return;
    raised.set(what, now);
    services.alarm(INSTALLATION, what);
  }

  async function work(): Promise<void> {
    while (!ended.signal.aborted) {
      await signal.wait(POLL_MS, ended.signal);
      // An abort ends the wait early. It is not a failure.
      await sleep(GATHER_MS, undefined, { signal: ended.signal }).catch(() => undefined);
      if (!ended.signal.aborted) await attempt(() => inTurn(() => pass(false)));
    }
    await attempt(() => inTurn(() => pass(true)));
  }

  return {
    async open() {
      const view = createLocalTreeState(store, integrity, await newestSeenCheckpoint());
      open = {
        origin: await services.origin(),
        view,
        sequencer: createSequencer({ store, integrity, view, clock, alarm: services.alarm }),
      };
      await inTurn(async () => {
        followedTo = (await view.refresh()).size;
        const tree = view.seen;
        for await (const leaves of leavesSince(store, integrity, tree, clock.nowMs() - REPLAY_MS, MAX_TAIL))
          for (const { opening } of leaves) note(opening);
        await pass(true);
      });
      // Before the first request: a witness may know of another copy that has gone on.
      await witnessing?.ask();
    },
    start() {
      running ??= work();
      witnessing?.start();
    },
    notify: signal.notify,
    catchUp: () => inTurn(() => pass(true)),
    async lookAgain() {
      if (performance.now() - lookedAtMs < LOOK_MS) return looking;
      lookedAtMs = performance.now();
      looking = inTurn(() => attempt(() => pass(true)));
      return looking;
    },
    published() {
      const cosigned = witnessing?.cosigned();
      return cosigned?.size === signed().size ? cosigned : signed();
    },
    shown() {
      const cosigned = witnessing?.cosigned();
      return cosigned !== undefined && performance.now() - cosigned.atMs < SHOW_COSIGNED_MS ? cosigned : signed();
    },
    // Before the log is open there is nothing to confirm: only the first organization is created then.
    error: () => error ?? (published === undefined ? undefined : witnessing?.error()),
    lossAcceptedAtMs: () => lossAcceptedAtMs,
    keyText: () => checkpointKeyText(vault.service, opened().origin),
    async stop() {
      ended.abort();
      await running;
      await witnessing?.stop();
    },
  };
}
