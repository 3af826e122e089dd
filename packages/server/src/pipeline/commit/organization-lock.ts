import { ServiceError } from '@countersign/contract';

/** Runs tasks that share a key one after the other, and tasks of different keys side by side. */
export interface Exclusive {
  /**
   * Rejects with UNAVAILABLE, and does not run the task, where its turn does not come in time. A task that `lost` to another node before
   * takes turns with the other nodes as well.
   */
  run<T>(key: string, task: () => Promise<T>, lost?: boolean): Promise<T>;
}

/** How long a task waits for its turn: where those before it wait for the database, its caller is told so while it still listens. */
const PATIENCE_MS = 10_000;

/** `amongNodes` waits for the turn of this process among all that have the same database. */
export function createExclusive(
  amongNodes: <T>(key: string, task: () => Promise<T>) => Promise<T> = (_key, task) => task(),
  patienceMs = PATIENCE_MS,
): Exclusive {
  const tails = new Map<string, Promise<unknown>>();
  return {
    async run(key, task, lost = false) {
      const before = tails.get(key) ?? Promise.resolve();
      const since = performance.now();
      const inTime = () => {
        if (performance.now() - since <= patienceMs) return lost ? amongNodes(key, task) : task();
        throw new ServiceError(
          'UNAVAILABLE',
          'Too many changes of this organization wait for the database. Nothing was done; send the same request again.',
        );
      };
      // The failure of a task belongs to its own caller, not to the next one.
      const mine = before.catch(() => {}).then(inTime);
      tails.set(key, mine);
      try {
        return await mine;
      } finally {
        if (tails.get(key) === mine) tails.delete(key);
      }
    },
  };
}
