import { setTimeout as sleep } from 'node:timers/promises';

/** Wakes whoever waits for something to do. */
export interface Bell {
  /** Ends the present wait, or the next one if nobody waits now. */
  ring(): void;
  /** Resolves at the next ring, after `ms` at the latest, or when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export function createBell(): Bell {
  let rung = false;
  let wake: AbortController | undefined;
  return {
    ring() {
      rung = true;
      wake?.abort();
    },
    async wait(ms, signal) {
      if (!rung && !signal.aborted) {
        const waiting = new AbortController();
        const end = () => waiting.abort();
        wake = waiting;
        // Not `AbortSignal.any`, which leaves something behind at a signal that lives as long as the process.
        signal.addEventListener('abort', end, { once: true });
        // Being woken is no failure.
        await sleep(ms, undefined, { signal: waiting.signal }).catch(() => undefined);
        signal.removeEventListener('abort', end);
        wake = undefined;
      }
      rung = false;
    },
  };
}
