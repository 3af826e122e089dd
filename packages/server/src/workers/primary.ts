import cluster, { type Worker } from 'node:cluster';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import type { Config } from '../config/settings.ts';
import type { FromWorker, ToWorker } from './messages.ts';

/** Worker processes that share one port. */
export interface Workers {
  readonly port: number;
  close(): Promise<void>;
}

/** How soon a worker that died is replaced. */
const RESTART_MS = 500;

/**
 * Forks workers, each of which opens the installation and commits its own groups. One that dies is replaced; one that cannot start
 * at first fails the start of the service.
 */
export async function startWorkers(config: Config, log: Logger): Promise<Workers> {
  cluster.setupPrimary({ exec: fileURLToPath(new URL('./entry.js', import.meta.url)), serialization: 'advanced' });
  const metrics = new AggregatorRegistry();
  let closing = false;

  function fork(): Worker {
    const worker = cluster.fork();
    worker.on('message', (message: FromWorker) => {
      if (message.kind !== 'metrics') return;
      const answer = (text: string) =>
        worker.isConnected() && worker.send({ kind: 'metrics', id: message.id, text } satisfies ToWorker);
      metrics.clusterMetrics().then(answer, (error: unknown) => {
        log.warn({ err: error }, 'metrics of the workers could not be gathered');
        answer('');
      });
    });
    worker.on('exit', (code, signal) => {
      if (closing) return;
      log.error({ worker: worker.id, code, signal }, 'a worker died and is replaced');
      setTimeout(() => closing || fork(), RESTART_MS);
    });
    return worker;
  }

  const started = await Promise.all(Array.from({ length: config.workers }, () => ready(fork(), config)));
  return {
    port: started[0] as number,
    async close() {
      closing = true;
      await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => worker && stop(worker, config)));
    },
  };
}

/** The port that a worker listens on. Rejects with the reason it gives if it cannot start. */
function ready(worker: Worker, config: Config): Promise<number> {
  return new Promise((resolve, reject) => {
    worker.once('online', () => worker.send({ kind: 'start', config } satisfies ToWorker));
    worker.once('exit', (code) => reject(new Error(`a worker ended with code ${code} before it was ready`)));
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'ready') resolve(message.port);
      if (message.kind === 'failed') reject(Object.assign(new Error(message.message), { code: message.code }));
    });
  });
}

function stop(worker: Worker, config: Config): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => worker.process.kill('SIGKILL'), (config.shutdownSeconds + 5) * 1000);
    worker.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    worker.send({ kind: 'stop' } satisfies ToWorker);
  });
}
