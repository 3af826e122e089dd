import { setTimeout as sleep } from 'node:timers/promises';
import { isBusy } from './errors.ts';

/** How long the engine itself waits for a lock. Short, because waiting blocks the event loop. */
export const engineWaitMs = 5;

/**
 * Retries a synchronous attempt while another connection holds a lock, and yields to the event loop in between.
 * Throws the last busy error after `waitMs`.
 */
export async function whenFree<T>(waitMs: number, attempt: () => T): Promise<T> {
  let deadline: number | undefined;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      const nowMs = performance.now();
      deadline ??= nowMs + waitMs;
      if (nowMs >= deadline) throw error;
    }
    // A random pause keeps two processes from colliding again.
    await sleep(1 + Math.random() * 4);
  }
}
