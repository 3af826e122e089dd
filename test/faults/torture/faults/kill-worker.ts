import { childrenOf } from '../../fault/support/command-process.ts';
import { waitUntil } from '../../fault/support/wait-until.ts';
import { oneOf } from '../../fault/support/workload.ts';
import type { Fault } from '../fault.ts';
import { inRounds } from '../support/in-rounds.ts';
import { openPlace } from '../support/places.ts';

const WORKERS = 2;
const REPLACED_MS = 20_000;

/** The primary replaces a worker that has gone. */
export const killWorker: Fault = {
  name: 'kill-worker',
  title: 'kill -9 of one of two workers',
  stores: ['sqlite', 'postgres'],
  rounds: 10,
  run: async (stage) =>
    inRounds(stage, await openPlace(stage.engine), { flags: ['--workers', String(WORKERS)] }, (arena) => ({
      begin: async () => void process.kill(oneOf(childrenOf(arena.process.pid)), 'SIGKILL'),
      lastsMs: 0,
      async end() {
        const isWhole = () => childrenOf(arena.process.pid).length === WORKERS;
        if (!(await waitUntil(REPLACED_MS, isWhole))) arena.broken.others.push('a worker that was killed is not replaced');
      },
    })),
};
