import type { UsagePointRow } from '../store/rows.ts';
import type { BucketKey, UsageStore } from '../store/usage-store.ts';
import { follows, type Point } from './usage-entry.ts';

/** Points that are fetched at once, and at most kept for a bucket. */
const SLICE = 128;

/**
 * The place where the window of a bucket begins: the newest point that counts no longer, and some of those that follow it.
 * INVARIANT: every point in `ahead` follows the one before it, the first of them `base`. So the sum of the window is exact at its edge, and
 * a point that is missing, or that is not the one which was taken, shows.
 */
export class WindowStart {
  /** Undefined where every point counts. */
  base: Point | undefined;
  ahead: Point[];
  /** Whether `ahead` has all points up to the newest. */
  complete: boolean;
  /** What was counted at or before it counts no longer. */
  private cutoffMs: number;

  constructor(base: Point | undefined, ahead: Point[], complete: boolean, cutoffMs: number) {
    this.base = base;
    this.ahead = ahead;
    this.complete = complete;
    this.cutoffMs = cutoffMs;
  }

  /** Moves on to a cutoff. False where points must be fetched to tell, also because the window was made longer. */
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

  /** Takes note of a new newest point. */
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
  /** Whether no more points are stored after these. */
  readonly isWhole: boolean;
}

/** Fetches the start of a window. `check` throws for a row that does not verify, `broken` says so of their order. */
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
  // INVARIANT: a bucket that has no base although points were swept counts all that it ever counted, which is never too little.
  const isSwept = base === undefined && cutoffMs < keptFromMs;
  for (const [index, point] of ahead.entries()) {
    if (isSwept && index === 0) before = point;
    else if (!follows(point, before))
      throw broken(`points of usage are missing or were exchanged after revision ${before?.revision ?? 0}`);
    before = point;
  }
  return { base, ahead, isWhole: ahead.length < SLICE };
}
