import { setTimeout as sleep } from 'node:timers/promises';
import { createBuckets } from './rates.ts';

/** Rejections of an address that are sent immediately. A client with a bug causes fewer. */
const IMMEDIATE = { perSecond: 20, burstSeconds: 5 };
const DELAY_MS = 100;

/** Counts a rejection. Returns the delay of its response, or undefined for an immediate one. */
export type Tarpit = (address: string) => Promise<void> | undefined;

/**
 * Delays rejections of requests whose body was not read.
 * SECURITY: D251: such a rejection closes the connection, and a client without a credential quickly opens the next one. Without the delay,
 * accepting, rejecting and closing connections is most of what the server does.
 */
export function createTarpit(
  nowMs?: () => number,
  wait: (ms: number) => Promise<unknown> = (ms) => sleep(ms, undefined, { ref: false }),
): Tarpit {
  const buckets = createBuckets(IMMEDIATE, nowMs);
  return (address) => (buckets.take(address) === 0 ? undefined : wait(DELAY_MS).then(() => undefined));
}
