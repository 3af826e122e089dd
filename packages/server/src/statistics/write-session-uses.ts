import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { SessionRecorder } from './session-uses.ts';

const EVERY_MS = 1_000;
const SWEEP_EVERY_MS = 600_000;
/** Writes at shutdown. What is left then is lost: it is shown, and decides nothing. */
const LAST_WRITES = 20;

/** Writes how sessions are used, a few rows a second, and once more at shutdown. */
export function startSessionWriter(recorder: Pick<SessionRecorder, 'write' | 'sweep'>, log: Pick<Logger, 'warn'>) {
  const stopped = new AbortController();
  const attempt = (task: () => Promise<unknown>) =>
    task().catch((error: unknown) => {
      log.warn({ err: error }, 'uses of sessions cannot be stored');
    });

  async function work(): Promise<void> {
    let sweptAtMs = Number.NEGATIVE_INFINITY;
    while (!stopped.signal.aborted) {
      if (performance.now() - sweptAtMs >= SWEEP_EVERY_MS) {
        await attempt(recorder.sweep);
        sweptAtMs = performance.now();
      }
      await sleep(EVERY_MS, undefined, { signal: stopped.signal, ref: false }).catch(() => undefined);
      await attempt(recorder.write);
    }
    for (let i = 0; i < LAST_WRITES && (await attempt(recorder.write)) === true; i++);
  }

  const working = work();
  return {
    async stop(): Promise<void> {
      stopped.abort();
      await working;
    },
  };
}
