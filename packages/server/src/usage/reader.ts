import { bucketPrefix, type Usage } from '@countersign/judgement';
import type { UsageReader } from '../organizations/usage-reader.ts';
import type { Store } from '../store/store.ts';
import type { UsageCache } from './usage-cache.ts';
import { BucketView } from './view.ts';

/** Buckets of one control to read when looking for the most recently used ones. */
const MAX_LOOKED_AT = 1_000;
/** Maximum number of loads if the bucket is invalidated while it loads. */
const MAX_LOADS = 20;

/** Reads usage for queries. It writes and claims nothing. */
export function createUsageReader(cache: UsageCache, store: Pick<Store, 'usage'>): UsageReader {
  const reader: UsageReader = {
    async read(organizationId, asked, nowMs) {
      const found = new Map<string, Usage>();
      for (const { bucket: name, ...held } of asked) {
        const bucket = cache.bucket({ organizationId, bucket: name });
        // No commit validates the returned values, so refresh from the store: another node may have counted.
        await cache.refresh(bucket);
        for (let attempt = 0; attempt < MAX_LOADS && !bucket.moveTo(held.control, nowMs); attempt++)
          await cache.load(bucket, held.control, nowMs);
        found.set(name, new BucketView(held, bucket));
      }
      return found;
    },

    async latest(organizationId, held, limit, nowMs) {
      const prefix = bucketPrefix(held.controlId, held.control.epoch);
      const names = (await store.usage.buckets(organizationId, prefix, MAX_LOOKED_AT)).filter((name) => name.startsWith(prefix));
      const newest = await store.usage.newest(names.map((bucket) => ({ organizationId, bucket })));
      const last = [...newest].sort((a, b) => b.atMs - a.atMs).slice(0, limit);
      const read = await reader.read(
        organizationId,
        last.map(({ bucket }) => ({ ...held, bucket })),
        nowMs,
      );
      return [...read.values()];
    },
  };
  return reader;
}
