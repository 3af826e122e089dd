/**
 * Options of an `LRUCache` that grows up to a number of entries. The cache's own `max` allocates all of them in advance, which takes 23 ms of
 * the startup for 100,000 entries.
 */
export function lazyLru(entries: number): { readonly maxSize: number; readonly sizeCalculation: () => number } {
  return { maxSize: entries, sizeCalculation: () => 1 };
}

/** How long an entry stays in a cache after its last use. */
const IDLE_MS = 30 * 60_000;
/** Time between two sweeps, and how exact the time of a use is. */
const SWEEP_MS = 60_000;

/** Options of an `LRUCache` that forgets entries without use. `sweepIdle` removes them. */
export const idleLru = {
  ttl: IDLE_MS,
  updateAgeOnGet: true,
  ttlResolution: SWEEP_MS,
  // Above 0, which the library takes for no time at all.
  perf: { now: () => performance.now() + 1 },
} as const;

/**
 * Removes idle entries of a cache from time to time, so that it gives their memory back: tenants that were served once do not stay in
 * memory until others displace them. Ends with the cache.
 */
export function sweepIdle<C extends { purgeStale(): boolean }>(cache: C): C {
  const swept = new WeakRef(cache);
  const timer = setInterval(() => {
    const alive = swept.deref();
    if (alive === undefined) clearInterval(timer);
    else alive.purgeStale();
  }, SWEEP_MS);
  timer.unref();
  return cache;
}
