import { type VelocityControlRecord, windowStart } from '@countersign/judgement';
import type { BucketKey } from '../store/usage-store.ts';
import type { Point } from './usage-entry.ts';
import type { WindowStart } from './window.ts';

/** What a process knows of a bucket. */
export interface Known {
  /** The newest point, with those that are on their way to the store. Undefined where there is none. */
  newest: Point | undefined;
  /** Undefined where everything counts. */
  window: WindowStart | undefined;
}

/**
 * One bucket in memory.
 * INVARIANT: `known.newest` is what the next commit of this process builds on. Whenever a commit that added a point is not taken, all is
 * forgotten and read again, because the points that were built on that one will be refused too.
 */
export class Bucket {
  readonly key: BucketKey;
  /** One text for the key. */
  readonly name: string;
  known: Known | undefined;
  loading: Promise<void> | undefined;
  /** Counts how often all was forgotten. What was claimed before that says nothing about what is known now. */
  generation = 0;
  /** The latest time that the window was looked at for. It never goes back, whatever clocks do. */
  timeMs = 0;
  sweptAtMs = 0;

  /** The turn of this process in which the stored state was last asked for. */
  private asked: { readonly turn: object; readonly answer: Promise<void> } | undefined;

  constructor(key: BucketKey, name: string) {
    this.key = key;
    this.name = name;
  }

  /** Asks for the stored state, unless that was done in this turn. */
  onceIn(turn: object, ask: (bucket: Bucket) => Promise<void>): Promise<void> {
    if (this.asked?.turn !== turn) this.asked = { turn, answer: ask(this) };
    return this.asked.answer;
  }

  forget(): void {
    this.known = undefined;
    this.loading = undefined;
    this.generation += 1;
  }

  /**
   * Moves the window to a time, or to a later one that was seen. False where points have to be read first.
   * SECURITY: a clock that goes back frees nothing, and neither does another node whose clock is ahead.
   */
  moveTo(control: VelocityControlRecord, nowMs: number): boolean {
    if (this.known === undefined) return false;
    const { newest, window } = this.known;
    this.timeMs = Math.max(this.timeMs, nowMs, newest?.atMs ?? 0);
    const cutoffMs = windowStart(control, this.timeMs);
    if (window === undefined || cutoffMs === undefined) return window === undefined && cutoffMs === undefined;
    return window.advance(cutoffMs);
  }

  /** What the window holds. */
  get used(): bigint {
    return (this.known?.newest?.total ?? 0n) - (this.known?.window?.base?.total ?? 0n);
  }

  get revision(): number {
    return this.known?.newest?.revision ?? 0;
  }

  /** Makes a point the newest. */
  append(point: Point): void {
    if (this.known === undefined) return;
    this.known.newest = point;
    this.known.window?.append(point);
  }
}
