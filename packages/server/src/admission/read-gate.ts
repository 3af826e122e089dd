import { FairQueue } from './fair-queue.ts';
import type { Flow } from './flow.ts';

/** Bounds how many requests read the store before their caller is known. */
export interface ReadGate {
  /** Runs a read when it is the turn of this flow. */
  run<T>(flow: Flow, read: () => Promise<T>): Promise<T>;
}

/** Reads at a time. More would wait in the pool of database connections, which is first come, first served. */
const MAX_READS = 32;
/** Those of unproven requests among them. */
const MAX_UNPROVEN_READS = 8;

/**
 * SECURITY: D435: a database on another machine answers after a while. Without this, hundreds of requests wait for it at a time, and that of
 * a tenant waits behind them, regardless of their turns at the processor.
 * INVARIANT: a read waits for no other request, so every turn ends.
 */
export function createReadGate(maxReads = MAX_READS, maxUnproven = MAX_UNPROVEN_READS): ReadGate {
  const proven = { queue: new FairQueue<() => void>({ quantumMs: 1, newFirst: true }), active: 0 };
  const unproven = { queue: new FairQueue<() => void>({ quantumMs: 1, newFirst: false }), active: 0 };
  const classOf = ({ isProven }: Flow) => (isProven ? proven : unproven);
  const hasRoom = (each: typeof proven) =>
    proven.active + unproven.active < maxReads && (each === proven || each.active < maxUnproven);

  function startNext(): void {
    for (const each of [proven, unproven])
      while (each.queue.waiting > 0 && hasRoom(each)) {
        const taken = each.queue.take();
        // Every read counts the same.
        taken?.charge(1);
        each.active += 1;
        taken?.item();
      }
  }

  return {
    async run(flow, read) {
      const own = classOf(flow);
      if (own.queue.waiting === 0 && hasRoom(own)) own.active += 1;
      else await new Promise<void>((resolve) => own.queue.push(flow.path, resolve));
      try {
        return await read();
      } finally {
        own.active -= 1;
        startNext();
      }
    },
  };
}
