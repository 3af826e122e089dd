import { createBuckets } from './buckets.ts';

/** As many clients as may come at once, such as a pool that opens its connections, and what is added to that in a second. */
const NEWCOMERS = { perSecond: 20, burstSeconds: 15 };

/**
 * Says whether others wait until the connections that come with this one are taken.
 * SECURITY: D244: whoever connects again and again, each time with a request that is refused, would otherwise have everybody who is
 * connected wait some milliseconds for nearly every answer. So an address is waited for as often as clients of good will need it.
 */
export function createNewcomers(nowMs?: () => number): (address: string) => boolean {
  const buckets = createBuckets(NEWCOMERS, nowMs);
  return (address) => buckets.take(address) === 0;
}
