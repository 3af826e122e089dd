import { setTimeout as sleep } from 'node:timers/promises';
import { isUnreachable } from './errors.ts';

/** How long startup waits for a server that is busy or still starting. */
const TIMEOUT_MS = 20_000;
const PAUSE_MS = 200;

/**
 * Retries while the server does not answer or is still starting: both services may start when the machine boots, and a busy server is no
 * reason to give up. INVARIANT: any other answer ends the retries, including a rejection, so a wrong password or port is reported
 * immediately. `attempt` must be safe to repeat.
 */
export async function retryWhileUnreachable<T>(attempt: () => Promise<T>, timeoutMs = TIMEOUT_MS): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isUnreachable(error) || performance.now() > end) throw error;
    }
    await sleep(PAUSE_MS);
  }
}
