import { controlsNamedBy, countsOf, type Judgement, type Usage, type UsageByBucket, windowStart } from '@countersign/judgement';

interface Point {
  readonly atMs: number;
  /** The running total of the bucket. */
  readonly total: bigint;
}

/** Maximum number of points in memory. Each is one activity in one bucket. */
const MAX_POINTS = 200_000;

/**
 * Replays the usage of spending limits in memory. It starts empty.
 * INVARIANT: as in the stored usage, the time of a bucket never decreases, and the sum of a window is the difference of two totals.
 */
export class UsageReplay {
  readonly #buckets = new Map<string, Point[]>();
  #points = 0;

  /** Adds the usage of the limits that the policies of a judgement refer to. */
  before(judgement: Judgement): Judgement {
    const named = controlsNamedBy(judgement);
    if (named.length === 0) return judgement;
    const usage = new Map<string, Usage>();
    for (const { controlId, control, counts } of named) {
      const cutoff = windowStart(control, judgement.nowMs);
      for (const { bucket } of counts) {
        const points = this.#buckets.get(bucket) ?? [];
        const used = totalAt(points, Number.POSITIVE_INFINITY) - (cutoff === undefined ? 0n : totalAt(points, cutoff));
        usage.set(bucket, { control: controlId, bucket, used, revision: points.length });
      }
    }
    return { ...judgement, usage: usage satisfies UsageByBucket };
  }

  /** Counts an executed request. Returns false if memory is exhausted; later results are then invalid. */
  add(judgement: Judgement): boolean {
    for (const { counts } of countsOf(judgement)) {
      for (const { bucket, amount } of counts) {
        const points = this.#buckets.get(bucket) ?? [];
        this.#buckets.set(bucket, points);
        const last = points.at(-1);
        points.push({ atMs: Math.max(judgement.nowMs, last?.atMs ?? 0), total: (last?.total ?? 0n) + amount });
        this.#points += 1;
      }
    }
    return this.#points <= MAX_POINTS;
  }
}

/** The total of the newest point at or before a time. */
function totalAt(points: readonly Point[], atMs: number): bigint {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((points[middle] as Point).atMs <= atMs) low = middle + 1;
    else high = middle;
  }
  return points[low - 1]?.total ?? 0n;
}
