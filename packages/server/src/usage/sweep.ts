import type { UsageStore } from '../store/usage-store.ts';
import type { Bucket } from './bucket.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * How long points are kept, whatever the window of their control: it may be made longer. A longer window than this counts from the
 * beginning of the bucket on, so that it is never short.
 */
export const KEPT_MS = 400 * DAY_MS;
/** Nodes do not agree to the millisecond on what time it is. */
const SLACK_MS = DAY_MS;
const EVERY_MS = 60 * 60 * 1000;
const MAX_SWEPT = 500;

/**
 * Forgets points that no window begins after. INVARIANT: the last point before the time that is kept stays, because the windows that
 * begin there are measured from it.
 */
export async function sweepOld(store: UsageStore, bucket: Bucket, nowMs: number): Promise<void> {
  if (nowMs - bucket.sweptAtMs < EVERY_MS) return;
  bucket.sweptAtMs = nowMs;
  const base = await store.lastBefore(bucket.key, nowMs - KEPT_MS - SLACK_MS);
  if (base !== undefined && base.revision > 1) await store.sweep(bucket.key, base.revision, MAX_SWEPT);
}
