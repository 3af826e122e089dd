/** Upper bounds in milliseconds: about two for each doubling, so a percentile is at most half as long again as the real one. */
const bounds = [
  1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1_024, 1_536, 2_048, 4_096, 8_192, 16_384,
] as const;
/** The name of what took longer than every bound. */
const LONGER = 'LONGER';

/** How many requests took how long, by the name of the bucket: its upper bound, as the database keeps it. */
export type DurationHistogram = ReadonlyMap<string, number>;

const names: readonly string[] = [...bounds.map(String), LONGER];
const order: ReadonlyMap<string, number> = new Map(names.map((name, index) => [name, index]));

/** The bucket that a duration falls into. */
export function bucketOf(milliseconds: number): string {
  let low = 0;
  let high: number = bounds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (milliseconds <= (bounds[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return names[low] as string;
}

/** Adds to a bucket. Names that are no bucket come from a changed database, and add nothing. */
export function addTo(histogram: Map<string, number>, bucket: string, amount: number): void {
  if (order.has(bucket)) histogram.set(bucket, (histogram.get(bucket) ?? 0) + amount);
}

export interface Percentiles {
  readonly count: number;
  /** Milliseconds. Undefined without requests, and above the largest bound. */
  readonly medianMs: number | undefined;
  readonly p99Ms: number | undefined;
}

/** INVARIANT: at least the share of the requests took at most the bound that is given. It is never better than what people saw. */
export function percentilesOf(histogram: DurationHistogram): Percentiles {
  const sorted = [...histogram].sort(([a], [b]) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
  const count = sorted.reduce((sum, [, amount]) => sum + amount, 0);
  const within = (percent: number) => {
    const wanted = Math.ceil((count * percent) / 100);
    let sum = 0;
    for (const [name, amount] of sorted) {
      sum += amount;
      if (sum >= wanted) return bounds[order.get(name) ?? bounds.length];
    }
    return undefined;
  };
  return { count, medianMs: within(50), p99Ms: within(99) };
}
