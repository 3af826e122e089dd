import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../../config/settings.ts';
import { holdBack } from '../../network/hold-back.ts';
import type { Ports } from '../../network/ports.ts';
import { aggregateMetrics, type MetricsSnapshot } from '../../statistics/metrics.ts';
import type { FromWorker } from './messages.ts';
import type { Worker } from './worker.ts';

/** Worker processes that share ports. */
export interface Workers {
  /** Applies changed settings in every worker, and in those that start later. */
  reload(config: Config): void;
  close(): Promise<void>;
}

/** How soon to replace a worker that died. The delay grows each time that the replacement does not even start. */
const RESTART_MS = 500;
const LONGEST_RESTART_MS = 10_000;
/** Connections to keep while no worker can take them. */
const MOST_WAITING = 1_024;
/** How long it may take to hand a connection over. */
const HANDOVER_MS = 250;
/** How long a worker may take to report its metrics. */
const COUNT_MS = 1_000;

/**
 * Hands each connection of the ports, which listen already, to the next of several worker processes. Each worker opens the installation and commits its
 * own groups. A worker that dies or stops responding is replaced, and new connections wait while no worker responds. If a worker cannot
 * start at first, the service does not start and the other workers end.
 */
export async function startWorkers(
  first: Config,
  ports: Ports,
  log: Logger,
  startProcess: (config: Config) => Worker,
  /** How a worker ends that is replaced without a pause, and what the log says then. */
  planned?: { readonly how: string; readonly message: string },
): Promise<Workers> {
  let config = first;
  let serving: readonly Worker[] = [];
  let waiting: Socket[] = [];
  const all = new Set<Worker>();
  const counts = new Map<number, MetricsSnapshot[]>();
  let turn = 0;
  let pauseMs = RESTART_MS;
  let lastCount = 0;
  let closing = false;

  function take(socket: Socket): void {
    holdBack(socket);
    // The client may disconnect during the handover.
    socket.on('error', () => socket.destroy());
    const responsive = serving.filter((worker) => worker.isResponsive());
    turn = (turn + 1) % Math.max(responsive.length, 1);
    const worker = responsive[turn];
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
      serving = serving.filter((other) => other !== worker);
      if (closing) return;
      if (how === planned?.how) {
        log.warn({ worker: worker.pid }, planned.message);
        replace();
        return;
      }
      log.error({ worker: worker.pid, how }, 'a worker ended unexpectedly; starting a replacement');
      setTimeout(replace, pauseMs);
      pauseMs = Math.min(pauseMs * 2, LONGEST_RESTART_MS);
    });
    await worker.ready;
    pauseMs = RESTART_MS;
    serving = [...serving, worker];
    takeWaiting();
  }

  /** Hands over the connections that arrived while no worker responded. */
  function takeWaiting(): void {
    const late = waiting;
    waiting = [];
    for (const socket of late) take(socket);
  }

  function replace(): void {
    if (closing) return;
    // If the start fails, the end of that worker triggers the next start.
    start().catch((error: unknown) => log.error({ err: error }, 'the replacement of a worker did not start'));
  }

  function answer(worker: Worker, message: FromWorker): void {
    if (message.kind === 'pong' && waiting.length > 0) takeWaiting();
    if (message.kind === 'counted') counts.get(message.id)?.push(message.snapshot);
    if (message.kind === 'metrics') gather().then((text) => worker.tell({ kind: 'metrics', id: message.id, text }));
  }

  /** The sums over all workers. Leaves out a worker that does not answer in time. */
  async function gather(): Promise<string> {
    const id = ++lastCount;
    const snapshots: MetricsSnapshot[] = [];
    counts.set(id, snapshots);
    const asked = serving.filter((worker) => worker.isResponsive());
    for (const worker of asked) worker.tell({ kind: 'count', id });
    const deadline = performance.now() + COUNT_MS;
    while (snapshots.length < asked.length && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 5));
    counts.delete(id);
    return aggregateMetrics(snapshots);
  }

  async function close(): Promise<void> {
    closing = true;
    const stopped = Promise.all([...all].map((worker) => worker.stop()));
    // Workers serve for this time after the stop message, so that late connections still reach a worker.
    await sleep(Math.max(0, config.lameDuckSeconds * 1000 - HANDOVER_MS));
    ports.close();
    for (const socket of waiting) socket.destroy();
    await stopped;
  }

  function reload(next: Config): void {
    config = next;
    for (const worker of all) worker.tell({ kind: 'reload', config });
  }

  ports.serve(take);
  try {
    await Promise.all(Array.from({ length: config.workers }, start));
  } catch (error) {
    await close();
    throw error;
  }
  return { reload, close };
}
