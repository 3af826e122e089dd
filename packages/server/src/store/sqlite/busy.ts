import { setTimeout as sleep } from 'node:timers/promises';
import { isBusy } from './faults.ts';

/** How long the engine itself waits for a lock: short, because it blocks the event loop while it does. */
export const engineWaitMs = 5;

/**
 * Runs a synchronous attempt until no other connection is in its way, yielding to the event loop in between.
 * After `waitMs` the last busy error is thrown.
 */
export async function whenFree<T>(waitMs: number, attempt: () => T): Promise<T> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    // A random pause keeps two processes from meeting again at the same moment.
    await sleep(1 + Math.random() * 4);
  }
}
