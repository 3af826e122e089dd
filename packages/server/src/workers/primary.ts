import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Config } from '../config/settings.ts';
import { aggregateMetrics, type MetricsSnapshot } from '../metrics/metrics.ts';
import type { FromWorker } from './messages.ts';
import { createTurns } from './turns.ts';
import { startProcess, type Worker } from './worker.ts';

/** Worker processes that share one port. */
export interface Workers {
  readonly port: number;
  close(): Promise<void>;
}

/** How soon a worker that died is replaced; longer each time that the next one does not even start. */
const RESTART_MS = 500;
const LONGEST_RESTART_MS = 10_000;
/** Connections that are kept while no worker is there to take them. */
const MOST_WAITING = 1_024;
/** How long a worker has to tell its numbers. */
const COUNT_MS = 1_000;

/**
 * Listens, and hands each connection to the next of several worker processes, each of which opens the installation and commits its own
 * groups. One that dies is replaced, and new connections wait where none is left; one that cannot start at first fails the start of
 * the service, and ends the others.
 */
export async function startWorkers(config: Config, log: Logger): Promise<Workers> {
  let serving: readonly Worker[] = [];
  let waiting: Socket[] = [];
  const all = new Set<Worker>();
  const turns = createTurns<Worker>();
  const counts = new Map<number, MetricsSnapshot[]>();
  let turn = 0;
  let pauseMs = RESTART_MS;
  let lastCount = 0;
  let closing = false;

  function take(socket: Socket): void {
    // The client may go away while its connection is on the way.
    socket.on('error', () => socket.destroy());
    turn = (turn + 1) % Math.max(serving.length, 1);
    const worker = serving[turn];
    if (worker !== undefined) worker.give(socket);
    else if (waiting.length < MOST_WAITING) waiting.push(socket);
    else socket.destroy();
  }

  async function start(): Promise<void> {
    const worker = startProcess(config);
    all.add(worker);
    worker.onMessage((message) => answer(worker, message));
    worker.ended.then((how) => {
      all.delete(worker);
      turns.forget(worker);
      serving = serving.filter((other) => other !== worker);
      if (closing) return;
      log.error({ worker: worker.pid, how }, 'a worker died and is replaced');
      setTimeout(replace, pauseMs);
      pauseMs = Math.min(pauseMs * 2, LONGEST_RESTART_MS);
    });
    await worker.ready;
    pauseMs = RESTART_MS;
    serving = [...serving, worker];
    const late = waiting;
    waiting = [];
    for (const socket of late) take(socket);
  }

  function replace(): void {
    if (closing) return;
    // Its end brings the next one.
    start().catch((error: unknown) => log.error({ err: error }, 'a replaced worker did not start'));
  }

  function answer(worker: Worker, message: FromWorker): void {
    if (message.kind === 'askTurn') turns.ask(worker);
    if (message.kind === 'endTurn') turns.end(worker);
    if (message.kind === 'counted') counts.get(message.id)?.push(message.snapshot);
    if (message.kind === 'metrics') gather().then((text) => worker.tell({ kind: 'metrics', id: message.id, text }));
  }

  /** The sums over all workers; one that does not answer in time is left out. */
  async function gather(): Promise<string> {
    const id = ++lastCount;
    const snapshots: MetricsSnapshot[] = [];
    counts.set(id, snapshots);
    const asked = serving;
    for (const worker of asked) worker.tell({ kind: 'count', id });
    const deadline = performance.now() + COUNT_MS;
    while (snapshots.length < asked.length && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 5));
    counts.delete(id);
    return aggregateMetrics(snapshots);
  }

  const server = createServer({ pauseOnConnect: true, noDelay: true }, take);
  async function close(): Promise<void> {
    closing = true;
    server.close();
    for (const socket of waiting) socket.destroy();
    await Promise.all([...all].map((worker) => worker.stop()));
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: config.host, port: config.port, backlog: 1024 }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  try {
    await Promise.all(Array.from({ length: config.workers }, start));
  } catch (error) {
    await close();
    throw error;
  }
  return { port, close };
}
