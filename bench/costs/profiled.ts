import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Leftovers } from '../leftovers.ts';
import type { Stage, Stages } from '../stage.ts';
import type { Centre } from './centres.ts';
import { microsOf } from './profile.ts';

/** What a request costs, in CPU microseconds of the service. */
export interface Costs {
  /** Of the main thread, by centre. */
  readonly centres: ReadonlyMap<Centre, number>;
  /** Of all other threads. */
  readonly others: number;
  readonly total: number;
}

/** A server whose requests can be taken apart. */
export interface ProfiledStage extends Pick<Stage, 'target' | 'end'> {
  costs(connections: number, seconds: number): Promise<Costs>;
}

/** The centre that waits for the disk. */
const WAITS: Centre = 'database: begin, commit';
/** How long a profile may take to be written. */
const PROFILE_MS = 20_000;
const PROFILER = new URL('./profiler.mjs', import.meta.url).href;

/** Starts a server of this build, or of another one. */
export async function startProfiled(leftovers: Leftovers, stages: Stages, command?: string): Promise<ProfiledStage> {
  const file = join(leftovers.directory(), 'profile.json');
  const environment = { NODE_OPTIONS: `--import ${PROFILER}`, BENCH_PROFILE: file };
  const { pid, target, measure, end } = await stages.start('sqlite', 1, {
    ...(command !== undefined && { command }),
    environment,
  });

  /** Microseconds of one request while the profiler looks on. */
  async function profile(connections: number, seconds: number) {
    process.kill(pid, 'SIGUSR2');
    const { requests, mainThreadMicros } = await measure(connections, seconds);
    process.kill(pid, 'SIGUSR2');
    const deadline = Date.now() + PROFILE_MS;
    while (!existsSync(file)) {
      if (Date.now() > deadline) throw new Error('the server wrote no profile');
      await pause(20);
    }
    const seen = new Map([...microsOf(file)].map(([centre, micros]) => [centre, micros / requests]));
    rmSync(file);
    return { seen, mainThreadMicros };
  }

  return {
    target,
    end,
    /**
     * The profiler itself takes time, so the total comes from a window without it. It measures wall-clock time, which includes waiting
     * for the disk: the cost of a commit is the total minus the other parts.
     */
    async costs(connections, seconds) {
      const { seen, mainThreadMicros: whileSeen } = await profile(connections, seconds);
      const { cpuMicros, mainThreadMicros } = await measure(connections, seconds);
      const own = new Map([...seen].map(([centre, micros]) => [centre, (micros * mainThreadMicros) / whileSeen]));
      const rest = [...own].reduce((left, [centre, micros]) => (centre === WAITS ? left : left - micros), mainThreadMicros);
      return {
        centres: own.set(WAITS, Math.max(0, rest)),
        others: Math.max(0, cpuMicros - mainThreadMicros),
        total: cpuMicros,
      };
    },
  };
}
