import type { BenchContext } from './bench.ts';
import { createStages } from './stage.ts';

/** The signing request that serves as the reference for other costs. */
const REFERENCE = { store: 'sqlite', workers: 1, connections: 32 } as const;

/** The reference in words. */
export const REFERENCE_NAME = 'a signing request (SQLite, 1 worker, 32 connections)';

/** Starts a server. Each call of the returned function measures one window: the CPU microseconds of one signing request. */
export async function startRequestCost({ options, leftovers, progress }: BenchContext): Promise<() => Promise<number>> {
  progress('starting and warming up a server');
  const stage = await createStages(leftovers).start(REFERENCE.store, REFERENCE.workers);
  return async () => (await stage.measure(REFERENCE.connections, options.seconds)).cpuMicros;
}
