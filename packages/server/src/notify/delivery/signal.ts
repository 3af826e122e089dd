import { setTimeout as sleep } from 'node:timers/promises';

/** Wakes a worker that waits for work. */
export interface Signal {
  /** Ends the current wait. If no worker waits, the next wait ends immediately. */
  notify(): void;
  /** Resolves at the next `notify`, after at most `ms`, or when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export function createSignal(): Signal {
  let notified = false;
  let wake: AbortController | undefined;
  return {
    notify() {
      notified = true;
      wake?.abort();
    },
    async wait(ms, signal) {
      if (!notified && !signal.aborted) {
        const waiting = new AbortController();
        const end = () => waiting.abort();
        wake = waiting;
        // Not `AbortSignal.any`: it leaks memory on a signal that lives as long as the process.
        signal.addEventListener('abort', end, { once: true });
        // An abort means that `notify` was called or the worker stops. It is not an error.
        await sleep(ms, undefined, { signal: waiting.signal }).catch(() => undefined);
        signal.removeEventListener('abort', end);
        wake = undefined;
      }
      notified = false;
    },
  };
}
