import { ask } from './conversation.ts';
import { cpuMicrosOf, descendantsOf, mainThreadMicrosOf } from './cpu-time.ts';
import { createDatabases } from './databases.ts';
import type { Leftovers } from './leftovers.ts';
import type { FromLoad, LoadTarget, LoadWindow, ToLoad } from './load/messages.ts';
import type { StoreName } from './options.ts';
import { type Build, startServerProcess } from './server-process.ts';

/** One measured window. CPU times are microseconds per request. */
export interface Window extends LoadWindow {
  /** Of the service: its process and its workers. */
  readonly cpuMicros: number;
  /** Of the main thread of its first process alone. */
  readonly mainThreadMicros: number;
  /** Of PostgreSQL. Undefined for the embedded database, which is part of the service. */
  readonly databaseCpuMicros?: number;
}

/** A running server to measure windows on. */
export interface Stage {
  readonly pid: number;
  readonly target: LoadTarget;
  /** Sends signing requests through this many connections for this long, and returns their cost. */
  measure(connections: number, seconds: number): Promise<Window>;
  /** Stops the server. */
  end(): Promise<void>;
}

/** Starts servers. All share the same load process. */
export interface Stages {
  start(store: StoreName, workers: number, build?: Build): Promise<Stage>;
}

/** Requests per second to prepare for before the first measurement. */
const FIRST_GUESS_PER_SECOND = 4_000;
/** Enough for the compiler of each worker to settle, or at most this long. */
const WARM_UP = { connections: 32, requestsPerWorker: 15_000, seconds: 20 };

/** One load process serves all stages. The first stage that needs PostgreSQL starts one. */
export function createStages(leftovers: Leftovers): Stages {
  const load = leftovers.fork('./load/load-process.ts');
  const createDatabase = createDatabases(leftovers);

  return {
    async start(store, workers, build) {
      const databaseUrl = store === 'postgres' ? await createDatabase() : undefined;
      const { pid, process: server, target } = await startServerProcess(leftovers, workers, databaseUrl, [], undefined, build);
      const perSecond = new Map<number, number>();

      /** Enough requests for a window a third faster than the fastest so far. If they run out, the window ends early. */
      function enough(connections: number, seconds: number): number {
        return Math.ceil((perSecond.get(connections) ?? FIRST_GUESS_PER_SECOND) * seconds * 1.33);
      }

      async function measure(connections: number, seconds: number, requests = enough(connections, seconds)): Promise<Window> {
        await tell(load, { kind: 'prepare', target, connections, requests });
        const service = [pid, ...descendantsOf(pid)];
        const database = store === 'postgres' ? descendantsOf(process.pid, 'postgres') : [];
        const before = [cpuMicrosOf(service), cpuMicrosOf(database)] as const;
        const mainBefore = mainThreadMicrosOf(pid);
        const { window } = await tell(load, { kind: 'start', seconds });
        const after = [cpuMicrosOf(service), cpuMicrosOf(database)] as const;
        const mainAfter = mainThreadMicrosOf(pid);
        perSecond.set(connections, Math.max(perSecond.get(connections) ?? 0, window.requests / window.seconds));
        return {
          ...window,
          cpuMicros: (after[0] - before[0]) / window.requests,
          mainThreadMicros: (mainAfter - mainBefore) / window.requests,
          ...(store === 'postgres' && { databaseCpuMicros: (after[1] - before[1]) / window.requests }),
        };
      }

      await measure(WARM_UP.connections, WARM_UP.seconds, WARM_UP.requestsPerWorker * workers);
      return { pid, target, measure: (connections, seconds) => measure(connections, seconds), end: () => leftovers.end(server) };
    },
  };
}

type Answer<Q extends ToLoad> = Extract<FromLoad, { kind: Q['kind'] extends 'prepare' ? 'prepared' : 'done' }>;

function tell<Q extends ToLoad>(load: Parameters<typeof ask>[0], question: Q): Promise<Answer<Q>> {
  return ask<Answer<Q>>(load, question);
}
