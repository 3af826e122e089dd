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
        wake = new AbortController();
        // Being woken is no failure.
        await sleep(ms, undefined, { signal: AbortSignal.any([wake.signal, signal]) }).catch(() => undefined);
        wake = undefined;
      }
      rung = false;
    },
  };
}
