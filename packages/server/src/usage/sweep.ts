import type { UsageStore } from '../store/usage-store.ts';
import type { Bucket } from './bucket.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Retention of points. It does not depend on the window of the control, because the window can be extended. A window longer than this
 * counts from the start of the bucket, so that it never counts too little.
 */
export const KEPT_MS = 400 * DAY_MS;
/** Tolerance for clock differences between nodes. */
const SLACK_MS = DAY_MS;
const EVERY_MS = 60 * 60 * 1000;
const MAX_SWEPT = 500;

/**
 * Deletes points that no window needs.
 * INVARIANT: the last point before the retention period stays, because windows that begin there are measured from it.
 */
export async function sweepOld(store: UsageStore, bucket: Bucket, nowMs: number): Promise<void> {
  if (nowMs - bucket.sweptAtMs < EVERY_MS) return;
  bucket.sweptAtMs = nowMs;
  const base = await store.lastBefore(bucket.key, nowMs - KEPT_MS - SLACK_MS);
  if (base !== undefined && base.revision > 1) await store.sweep(bucket.key, base.revision, MAX_SWEPT);
}
