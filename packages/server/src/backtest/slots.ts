import { ServiceError } from '@countersign/contract';

const IN_PROCESS = 4;
const IN_ORGANIZATION = 2;

/** Limits the number of concurrent backtests. */
export interface Slots {
  /** Throws RATE_LIMIT_EXCEEDED, without running the task, if too many tasks are running. */
  run<T>(organizationId: string, task: () => Promise<T>): Promise<T>;
}

/** SECURITY: D146: limit concurrent backtests, so that they do not block signing requests. */
export function createSlots(): Slots {
  const running = new Map<string, number>();
  let all = 0;
  return {
    async run(organizationId, task) {
      const own = running.get(organizationId) ?? 0;
      if (all >= IN_PROCESS || own >= IN_ORGANIZATION) {
        throw new ServiceError(
          'RATE_LIMIT_EXCEEDED',
          'Too many backtests are running. Wait until one of them has ended, then send the same request again.',
        );
      }
      all += 1;
      running.set(organizationId, own + 1);
      try {
        return await task();
      } finally {
        all -= 1;
        const left = (running.get(organizationId) ?? 1) - 1;
        if (left === 0) running.delete(organizationId);
        else running.set(organizationId, left);
      }
    },
  };
}
