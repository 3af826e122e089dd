import { type VelocityControlRecord, windowStart } from '@countersign/judgement';
import type { BucketKey } from '../store/usage-store.ts';
import type { Point } from './usage-entry.ts';
import type { WindowStart } from './window.ts';

/** The state of a bucket that this process has loaded. */
export interface Known {
  /** The newest point, including points of pending commits. Undefined for an empty bucket. */
  newest: Point | undefined;
  /** Undefined if every point counts. */
  window: WindowStart | undefined;
}

/**
 * One bucket in memory.
 * INVARIANT: the next commit of this process builds on `known.newest`. If a commit that added a point fails, the bucket is invalidated and
 * loaded again, because the store also rejects every point built on the failed one.
 */
export class Bucket {
  readonly key: BucketKey;
  /** The key as a single string. */
  readonly name: string;
  known: Known | undefined;
  loading: Promise<void> | undefined;
  /** Number of invalidations. A claim from an earlier generation does not apply to the current state. */
  generation = 0;
  /** The latest time that the window was evaluated at. It never decreases, even if the clock does. */
  timeMs = 0;
  sweptAtMs = 0;

  /** The lease of this process under which the bucket was last refreshed. */
  private loaded: { readonly lease: object; readonly result: Promise<void> } | undefined;

  constructor(key: BucketKey, name: string) {
    this.key = key;
    this.name = name;
  }

  /** Refreshes the bucket from the store, at most once per lease. */
  onceIn(lease: object, ask: (bucket: Bucket) => Promise<void>): Promise<void> {
    if (this.loaded?.lease !== lease) this.loaded = { lease, result: ask(this) };
    return this.loaded.result;
  }

  forget(): void {
    this.known = undefined;
    this.loading = undefined;
    this.generation += 1;
  }

  /**
   * Moves the window to `nowMs`, or to the latest time seen so far. Returns false if points must be loaded first.
   * SECURITY: a clock that goes backwards frees nothing, and neither does another node whose clock is ahead.
   */
  moveTo(control: VelocityControlRecord, nowMs: number): boolean {
    if (this.known === undefined) return false;
    const { newest, window } = this.known;
    this.timeMs = Math.max(this.timeMs, nowMs, newest?.atMs ?? 0);
    const cutoffMs = windowStart(control, this.timeMs);
    if (window === undefined || cutoffMs === undefined) return window === undefined && cutoffMs === undefined;
    return window.advance(cutoffMs);
  }

  /** The amount in the window. */
  get used(): bigint {
    return (this.known?.newest?.total ?? 0n) - (this.known?.window?.base?.total ?? 0n);
  }

  get revision(): number {
    return this.known?.newest?.revision ?? 0;
  }

  append(point: Point): void {
    if (this.known === undefined) return;
    this.known.newest = point;
    this.known.window?.append(point);
  }
}
