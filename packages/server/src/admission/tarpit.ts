import { setTimeout as sleep } from 'node:timers/promises';
import { createBuckets } from './buckets.ts';

/** Refusals of an address that are answered at once: a client with a fault sends fewer. */
const AT_ONCE = { perSecond: 20, burstSeconds: 5 };
const LATE_MS = 100;

/** Tells of a refusal before the body was read, and gives what its answer waits for; undefined where it waits for nothing. */
export type LateRefusals = (address: string) => Promise<void> | undefined;

/**
 * SECURITY: D251: such a refusal ends the connection, and the next one is quickly made, without a credential. Taking, refusing and ending
 * connections as fast as they come would be most of what the server does. So who is refused again and again waits for the answer. It
 * costs nothing meanwhile but a connection, and of those an address has so many.
 */
export function createLateRefusals(
  nowMs?: () => number,
  wait: (ms: number) => Promise<unknown> = (ms) => sleep(ms, undefined, { ref: false }),
): LateRefusals {
  const buckets = createBuckets(AT_ONCE, nowMs);
  return (address) => (buckets.take(address) === 0 ? undefined : wait(LATE_MS).then(() => undefined));
}
