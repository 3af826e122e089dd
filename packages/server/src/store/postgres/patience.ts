import { setTimeout as sleep } from 'node:timers/promises';
import { isSilent } from './faults.ts';

/** How long a start waits for a server that is busy or still starting. */
const PATIENCE_MS = 20_000;
const PAUSE_MS = 200;

/**
 * Tries again while the server is silent or says that it still starts: a machine that boots starts both, and a busy server is no reason
 * to give up. INVARIANT: a server that answers is believed at once, also when it refuses, so a wrong password or port is told within a
 * moment. `attempt` must be safe to repeat.
 */
export async function whileSilent<T>(attempt: () => Promise<T>, patienceMs = PATIENCE_MS): Promise<T> {
  const end = performance.now() + patienceMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isSilent(error) || performance.now() > end) throw error;
    }
    await sleep(PAUSE_MS);
  }
}
