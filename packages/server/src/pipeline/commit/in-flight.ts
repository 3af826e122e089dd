import { ServiceError } from '@countersign/contract';
import { StoreUnavailable } from '../../store/store-errors.ts';

/**
 * An execution in progress. It is cleared when it ends: V8 keeps old tables of a busy map, and everything they refer to, alive until the
 * next full collection.
 */
interface Entry<T> {
  work: Promise<T> | undefined;
}

/** Executions in progress by key, so that concurrent copies of one request do not all execute. */
export class InFlight<T> {
  readonly #entries = new Map<string, Entry<T>>();

  /**
   * Runs `work`. If the same key is in progress, waits for it first and then calls `work` with `isRepeated`.
   * INVARIANT: nothing is awaited between reading and setting the map.
   */
  async run(key: string, work: (isRepeated: boolean) => Promise<T>): Promise<T> {
    const running = this.#entries.get(key)?.work;
    if (running !== undefined) {
      await ignoreFailure(running);
      return work(true);
    }
    const entry: Entry<T> = { work: work(false) };
    this.#entries.set(key, entry);
    try {
      return (await entry.work) as T;
    } finally {
      this.#entries.delete(key);
      entry.work = undefined;
    }
  }
}

/** A failure belongs to its own caller, except an outage: a second attempt would only wait for the next timeout. */
async function ignoreFailure(running: Promise<unknown>): Promise<void> {
  try {
    await running;
  } catch (error) {
    const isOutage = error instanceof StoreUnavailable || (error instanceof ServiceError && error.code === 'UNAVAILABLE');
    if (isOutage) throw error;
  }
}
