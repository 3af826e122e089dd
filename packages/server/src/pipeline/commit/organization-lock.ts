import { ServiceError } from '@countersign/contract';

/** Runs tasks of one organization sequentially, and tasks of different organizations concurrently. */
export interface OrganizationLock {
  /**
   * Rejects with UNAVAILABLE without running the task if the lock is not free in time. After an attempt that `lost` to another node, it
   * also takes the lock that all nodes share.
   */
  run<T>(organizationId: string, task: () => Promise<T>, lost?: boolean): Promise<T>;
}

/**
 * `lockNodes` runs a task under a lock that all processes on the same database share. `timeoutMs` is how long a task waits for the lock. The
 * client is still waiting for the response by then.
 */
export function createOrganizationLock(
  lockNodes: <T>(organizationId: string, task: () => Promise<T>) => Promise<T>,
  timeoutMs: number,
): OrganizationLock {
  const tails = new Map<string, Promise<unknown>>();
  return {
    async run(organizationId, task, lost = false) {
      const before = tails.get(organizationId) ?? Promise.resolve();
      const since = performance.now();
      const runInTime = () => {
        if (performance.now() - since <= timeoutMs) return lost ? lockNodes(organizationId, task) : task();
        throw new ServiceError(
          'UNAVAILABLE',
          'Too many changes of this organization are queued. Nothing was executed; send the same request again.',
        );
      };
      // The failure of a task belongs to its own caller, not to the next one.
      const own = before.catch(() => {}).then(runInTime);
      tails.set(organizationId, own);
      try {
        return await own;
      } finally {
        if (tails.get(organizationId) === own) tails.delete(organizationId);
      }
    },
  };
}
