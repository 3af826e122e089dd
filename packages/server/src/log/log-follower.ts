import type { Store } from '../store/store.ts';
import type { Integrity } from '../vault/vault.ts';
import { headVersionOf } from './entry.ts';
import type { LocalTreeState } from './local-tree-state.ts';
import { leavesFrom } from './read-leaves.ts';
import { recentParts, writeParts } from './recent-parts.ts';
import type { ReplayFiles } from './replay-files.ts';
import { PART_LEAVES, ReplayPart } from './replay-part.ts';
import type { NotedContent, Sequencer } from './sequencer.ts';
import type { SeenLeaf } from './unlogged-commits.ts';

/** How long a stamped body can be replayed, plus the time by which the clocks of two nodes may differ. */
const REPLAY_MS = 70 * 60 * 1000;
/** Maximum number of leaves to read at startup. The replay cache of a process holds no more. */
const MAX_TAIL = 2 ** 20;
/** How many times in a row a process leaves integration to others before it helps: the other process may be too slow. */
const MAX_FOLLOWED = 3;

export interface FollowerServices {
  readonly store: Store['log'];
  readonly integrity: Integrity;
  readonly view: LocalTreeState;
  readonly sequencer: Sequencer;
  readonly files: Pick<ReplayFiles, 'stored' | 'write'>;
  /** Called with the replay keys of activities in the log whose bodies could still be replayed, from any process. */
  onReplayKeys(keys: Uint32Array): void;
  /** Called for each new leaf, from any process, in order. */
  onLeaf(leaf: SeenLeaf): void;
  /** Called for the head of each new leaf. Its version is 0 if the leaf names none. */
  onHead(organizationId: string, version: number, step: { readonly type: string; readonly status: string }): void;
}

/** Integrates queued entries into the log, and follows the leaves that other processes add. Reports each leaf once. */
export class LogFollower {
  readonly #services: FollowerServices;
  /** Every leaf before this index was reported. */
  #followedTo = 0;
  /** Passes in a row in which other processes had added leaves. */
  #timesFollowed = 0;
  #lossAcceptedAtMs = 0;
  /** The leaves since the last complete part. */
  #part = new ReplayPart();
  /** Complete parts, by number, that are not stored yet. */
  readonly #complete = new Map<number, ReplayPart>();

  constructor(services: FollowerServices) {
    this.#services = services;
  }

  /** When the operator last accepted a loss of activities. 0 if never. */
  get lossAcceptedAtMs(): number {
    return this.#lossAcceptedAtMs;
  }

  /** Starts at the end of the stored log, and reports the activities whose bodies could still be replayed. */
  async start(nowMs: number): Promise<void> {
    const { view, onReplayKeys } = this.#services;
    const { size } = await view.refresh();
    this.#followedTo = size;
    let isLast = size % PART_LEAVES > 0;
    for await (const part of recentParts(this.#services, view.seen, nowMs - REPLAY_MS, MAX_TAIL)) {
      onReplayKeys(part.keys);
      this.#lossAcceptedAtMs = Math.max(this.#lossAcceptedAtMs, part.lossAcceptedAtMs);
      if (isLast) this.#part = part;
      isLast = false;
    }
  }

  /** Follows, then integrates. One process integrates the entries of all: two would do the same work twice. */
  async advance(options: { readonly integrateNow: boolean }): Promise<void> {
    await this.#advanceLog(options);
    await writeParts(this.#services, this.#services.view.seen, this.#complete);
    this.#complete.clear();
  }

  async #advanceLog({ integrateNow }: { readonly integrateNow: boolean }): Promise<void> {
    this.#timesFollowed = (await this.#follow()) ? this.#timesFollowed + 1 : 0;
    if (!integrateNow && this.#timesFollowed > 0 && this.#timesFollowed <= MAX_FOLLOWED) return;
    this.#timesFollowed = 0;
    await this.#integrateAll();
  }

  /** Reports the leaves that other processes added. Returns whether there were any. */
  async #follow(): Promise<boolean> {
    const { store, integrity, view } = this.#services;
    await view.refresh();
    const before = this.#followedTo;
    for await (const leaves of leavesFrom(store, integrity, view.seen, this.#followedTo)) {
      for (const { opening, row } of leaves)
        this.#advance({ ...opening, revision: row.revision, headVersion: headVersionOf(opening) });
    }
    return this.#followedTo > before;
  }

  /** Integrates until the queue is empty. */
  async #integrateAll(): Promise<void> {
    for (;;) {
      const integrated = await this.#services.sequencer.integrate();
      if (integrated === undefined) return;
      if (integrated.from === this.#followedTo) for (const content of integrated.contents) this.#advance(content);
      if (!integrated.more) return;
      // Yield to pending requests.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  #advance(content: NotedContent): void {
    const { organizationId, activityId, revision, headVersion } = content;
    const leafIndex = this.#followedTo;
    this.#part.add(leafIndex, content);
    this.#services.onReplayKeys(this.#part.keyAt(leafIndex));
    this.#lossAcceptedAtMs = Math.max(this.#lossAcceptedAtMs, this.#part.lossAcceptedAtMs);
    this.#services.onHead(organizationId, headVersion, content);
    this.#services.onLeaf({ organizationId, activityId, revision, leafIndex });
    this.#followedTo = leafIndex + 1;
    if (this.#followedTo % PART_LEAVES > 0) return;
    this.#complete.set(this.#followedTo / PART_LEAVES - 1, this.#part);
    this.#part = new ReplayPart();
  }
}
