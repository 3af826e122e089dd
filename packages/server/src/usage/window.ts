import type { UsagePointRow } from '../store/rows.ts';
import type { BucketKey, UsageStore } from '../store/usage-store.ts';
import { follows, type Point } from './usage-entry.ts';

/** Points per fetch, and the maximum cached per bucket. */
const SLICE = 128;

/**
 * The start of a bucket's window: the newest point before the window, and some of the points that follow it.
 * INVARIANT: every point in `ahead` follows the one before it, and the first follows `base`. So the sum of the window is exact, and a
 * missing or substituted point is detected.
 */
export class WindowStart {
  /** Undefined if every point counts. */
  base: Point | undefined;
  ahead: Point[];
  /** Whether `ahead` contains all points up to the newest. */
  complete: boolean;
  /** Points at or before this time no longer count. */
  private cutoffMs: number;

  constructor(base: Point | undefined, ahead: Point[], complete: boolean, cutoffMs: number) {
    this.base = base;
    this.ahead = ahead;
    this.complete = complete;
    this.cutoffMs = cutoffMs;
  }

  /** Moves the window to a cutoff. Returns false if points must be fetched first, for example because the window was extended. */
  advance(cutoffMs: number): boolean {
    if (cutoffMs < this.cutoffMs) return false;
    this.cutoffMs = cutoffMs;
    let gone = 0;
    while (gone < this.ahead.length && (this.ahead[gone] as Point).atMs <= cutoffMs) gone++;
    if (gone > 0) {
      this.base = this.ahead[gone - 1];
      this.ahead = this.ahead.slice(gone);
    }
    return this.complete || this.ahead.length > 0;
  }

  /** Adds the new newest point. */
  append(point: Point): void {
    if (!this.complete) return;
    if (this.ahead.length < SLICE) this.ahead.push(point);
    else this.complete = false;
  }
}

/** The start of a window, as stored. */
export interface Fetched {
  readonly base: Point | undefined;
  readonly ahead: readonly Point[];
  /** Whether the store has no points after these. */
  readonly isWhole: boolean;
}

/**
 * Fetches the start of a window. `check` throws if a row does not verify; `broken` creates the error for points that do not form a chain.
 */
export async function fetchWindow(
  store: UsageStore,
  key: BucketKey,
  cutoffMs: number,
  keptFromMs: number,
  check: (row: UsagePointRow) => Point,
  broken: (what: string) => Error,
): Promise<Fetched> {
  const found = await store.lastBefore(key, cutoffMs + 1);
  const base = found && check(found);
  const ahead = (await store.after(key, base?.revision ?? 0, SLICE)).map(check);
  let before = base;
  // INVARIANT: totals are cumulative, so a swept bucket without a base counts its entire history, which is never too little.
  const isSwept = base === undefined && cutoffMs < keptFromMs;
  for (const [index, point] of ahead.entries()) {
    if (isSwept && index === 0) before = point;
    else if (!follows(point, before)) throw broken(`usage is missing or was replaced after revision ${before?.revision ?? 0}`);
    before = point;
  }
  return { base, ahead, isWhole: ahead.length < SLICE };
}
