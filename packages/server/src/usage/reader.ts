import { bucketPrefix, type Usage } from '@countersign/judgement';
import type { UsageReader } from '../organizations/usage-reader.ts';
import type { Store } from '../store/store.ts';
import type { UsageCache } from './usage-cache.ts';
import { BucketView } from './view.ts';

/** Buckets of one control that are looked at to find those that counted last. */
const MAX_LOOKED_AT = 1_000;
/** How often what is known of a bucket may be lost while it is read. */
const MAX_LOADS = 20;

/** Reads usage for people. It writes nothing, and promises nothing to anybody. */
export function createUsageReader(cache: UsageCache, store: Pick<Store, 'usage'>): UsageReader {
  const reader: UsageReader = {
    async read(organizationId, asked, nowMs) {
      const found = new Map<string, Usage>();
      for (const { bucket: name, ...held } of asked) {
        const bucket = cache.bucket({ organizationId, bucket: name });
        // No commit checks what is shown, so the stored state is asked for: another node may have counted.
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
