/** Refill rate and capacity. */
export interface BucketSize {
  /** 0: no limit. */
  readonly perSecond: number;
  /** Capacity, as the tokens of this many seconds. */
  readonly burstSeconds: number;
}

/** Token buckets by name. */
export interface Buckets {
  /** Takes one token. Returns 0, or the milliseconds until there is one. */
  take(name: string): number;
  /** The same without taking a token. */
  waitOf(name: string): number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** More buckets evict the least recently used one. An evicted bucket is full again. */
const MAX_BUCKETS = 50_000;

export function createBuckets(
  { perSecond, burstSeconds }: BucketSize,
  nowMs: () => number = () => performance.now(),
  maxBuckets = MAX_BUCKETS,
): Buckets {
  if (perSecond === 0) return { take: () => 0, waitOf: () => 0 };
  const full = perSecond * burstSeconds;
  const buckets = new Map<string, Bucket>();

  function filled(name: string): Bucket {
    const at = nowMs();
    const bucket = buckets.get(name) ?? { tokens: full, atMs: at };
    bucket.tokens = Math.min(full, bucket.tokens + ((at - bucket.atMs) / 1000) * perSecond);
    bucket.atMs = at;
    return bucket;
  }

  const waitFor = ({ tokens }: Bucket) => (tokens >= 1 ? 0 : Math.ceil(((1 - tokens) / perSecond) * 1000));

  return {
    take(name) {
      const bucket = filled(name);
      // The map is in order of use.
      buckets.delete(name);
      buckets.set(name, bucket);
      if (buckets.size > maxBuckets) buckets.delete(buckets.keys().next().value as string);
      const waitMs = waitFor(bucket);
      if (waitMs === 0) bucket.tokens -= 1;
      return waitMs;
    },
    waitOf: (name) => (buckets.has(name) ? waitFor(filled(name)) : 0),
  };
}
