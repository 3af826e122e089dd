import cluster, { type Worker } from 'node:cluster';
import { type AddressInfo, createServer } from 'node:net';
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
 * at first fails the start of the service, and ends the others.
 */
export async function startWorkers(config: Config, log: Logger): Promise<Workers> {
  cluster.setupPrimary({ exec: fileURLToPath(new URL('./entry.js', import.meta.url)), serialization: 'advanced' });
  const metrics = new AggregatorRegistry();
  // Decided here: a worker that replaces the last one standing would be given another free port.
  const port = config.port === 0 ? await freePort(config.host) : config.port;
  const settled: Config = { ...config, port };
  let closing = false;

  function fork(): Promise<void> {
    const worker = cluster.fork();
    // A message to a worker that has just died; its 'exit' follows.
    worker.on('error', (error) => log.debug({ worker: worker.id, err: error }, 'a worker could not be told'));
    worker.on('message', (message: FromWorker) => {
      if (message.kind !== 'metrics') return;
      const answer = (text: string) => tell(worker, { kind: 'metrics', id: message.id, text });
      metrics.clusterMetrics().then(answer, (error: unknown) => {
        log.warn({ err: error }, 'metrics of the workers could not be gathered');
        answer('');
      });
    });
    worker.on('exit', (code, signal) => {
      if (closing) return;
      log.error({ worker: worker.id, code, signal }, 'a worker died and is replaced');
      setTimeout(replace, RESTART_MS);
    });
    return ready(worker, settled);
  }

  function replace(): void {
    if (closing) return;
    // Its exit brings the next one.
    fork().catch((error: unknown) => log.error({ err: error }, 'a replaced worker did not start'));
  }

  async function close(): Promise<void> {
    closing = true;
    await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => worker && stop(worker, config)));
  }

  try {
    await Promise.all(Array.from({ length: config.workers }, fork));
  } catch (error) {
    await close();
    throw error;
  }
  return { port, close };
}

/** Resolves when the worker serves. Rejects with the reason it gives if it cannot start. */
function ready(worker: Worker, config: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once('exit', (code, signal) =>
      reject(new Error(`a worker ended with ${signal ?? `code ${code}`} before it was ready`)),
    );
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'awake') tell(worker, { kind: 'start', config });
      if (message.kind === 'ready') resolve();
      if (message.kind === 'failed') {
        const { message: text, code, fix } = message;
        reject(Object.assign(new Error(text), { ...(code !== undefined && { code }), ...(fix !== undefined && { fix }) }));
      }
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
    const tellToStop = () => tell(worker, { kind: 'stop' });
    // One that is not awake yet may miss the first word.
    worker.on('message', (message: FromWorker) => message.kind === 'awake' && tellToStop());
    tellToStop();
  });
}

function tell(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message);
}

/** A port that nothing listens on at the moment. */
async function freePort(host: string): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(0, host, resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
