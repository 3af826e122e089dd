import { setTimeout as sleep } from 'node:timers/promises';
import type { Attempt, History } from './history.ts';
import { oneOf, type Workload } from './workload.ts';

/** How many of the newest bodies may be sent again. */
const RECENT = 30;
const RETRY_MS = 100;

/** A load that runs until it is stopped. */
export interface Load {
  /** Lets every client finish its current request. */
  stop(): Promise<void>;
}

/**
 * Sends new bodies, repeats old ones, and sends some twice at once, over several connections. A client whose request failed
 * waits a moment and sends the same body again, as real clients do.
 */
export function startLoad(history: History, workload: Pick<Workload, 'draw' | 'approvalOf'>, url: string, clients = 12): Load {
  let stopped = false;

  async function run(): Promise<void> {
    while (!stopped) {
      const attempt = await act(Math.random());
      while (attempt.outcome === 'unknown' && !stopped) {
        await sleep(RETRY_MS);
        await history.send(attempt, url);
      }
    }
  }

  async function act(dice: number): Promise<Attempt> {
    const known = oneOf(history.attempts.slice(-RECENT));
    if (dice < 0.1 && known !== undefined) {
      history.repeats += 1;
      await history.send(known, url);
      return known;
    }
    const attempt = history.add(workload.draw());
    const copies = dice < 0.2 ? 2 : 1;
    history.repeats += copies - 1;
    await Promise.all(Array.from({ length: copies }, () => history.send(attempt, url)));
    const approval = workload.approvalOf(attempt);
    if (approval !== undefined && !stopped) await history.send(history.add(approval), url);
    return attempt;
  }

  const running = Array.from({ length: clients }, run);
  return {
    async stop() {
      stopped = true;
      await Promise.all(running);
    },
  };
}
