import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createLogger } from '../../config/logger.ts';
import { createReload, type Reloaded } from '../../config/reload.ts';
import type { Config } from '../../config/settings.ts';
import type { Ports } from '../../network/ports.ts';
import { workerFiles } from '../worker-files.ts';
import type { FromWorker } from '../workers/messages.ts';
import { startWorkers } from '../workers/primary.ts';
import { controlProcess, type Worker, workerFailure } from '../workers/worker.ts';
import { type Opened, SEALED_CODE, type StartSealable } from './messages.ts';

/** The least time without a response before the process is replaced: it opens the installation after it was unsealed. */
const LEAST_TIMEOUT_SECONDS = 60;
const planned = {
  how: `code ${SEALED_CODE}`,
  message: 'the service was sealed: its processes ended, and it waits for shares',
};
/** It stops its own workers first. */
const STOP_MARGIN_SECONDS = 5;

/** A service that can be sealed. */
export interface SealableService<Facts> {
  /** What it said when it was unsealed first. */
  readonly facts: Facts;
  reload(config: Config): Reloaded;
  close(): Promise<void>;
}

/**
 * Serves an installation whose root key is in shares. This process has the ports and no secret. Another one collects the shares and has
 * the keys, alone or with its workers. Sealing ends all of those, and a new one waits for shares. Resolves when it was unsealed first.
 */
export async function startSealable<Facts>(
  config: Config,
  entry: URL,
  ports: Ports,
  start: Pick<StartSealable, 'port' | 'isThrowAway'>,
): Promise<SealableService<Facts>> {
  const log = createLogger(config.logLevel);
  let isFirst = true;
  let resolveFacts = (_: Facts) => {};
  let rejectFacts = (_: Error) => {};
  const opened = new Promise<Facts>((resolve, reject) => {
    [resolveFacts, rejectFacts] = [resolve, reject];
  });
  // It is awaited after the first process takes connections.
  opened.catch(() => {});

  function listen(message: FromWorker | Opened<Facts>): void {
    if (message.kind === 'opened') {
      if (isFirst) resolveFacts(message.facts);
      else log.warn('the service was unsealed, and serves again');
      isFirst = false;
    }
    if (message.kind !== 'failed') return;
    if (isFirst) rejectFacts(workerFailure(message));
    else log.error({ reason: message.message, fix: message.fix }, 'the service cannot be opened after it was sealed');
  }

  function startProcess(current: Config): Worker {
    const worker = forkSealable({ ...current, workers: config.workers }, entry, start);
    worker.onMessage(listen);
    void worker.ended.then((how) => {
      if (how !== planned.how) rejectFacts(new Error(`the service ended with ${how} before it was unsealed`));
    });
    return worker;
  }

  const workers = await startWorkers({ ...config, workers: 1 }, ports, log, startProcess, planned);
  try {
    const facts = await opened;
    return { facts, reload: createReload(config, workers.reload), close: workers.close };
  } catch (error) {
    await workers.close();
    throw error;
  }
}

function forkSealable(config: Config, entry: URL, start: Pick<StartSealable, 'port' | 'isThrowAway'>): Worker {
  const child = fork(fileURLToPath(entry), {
    serialization: 'advanced',
    execArgv: [...process.execArgv, '--import', workerFiles.ignoreDebuggerSignal.href],
  });
  const times = {
    workerTimeoutSeconds: Math.max(config.workerTimeoutSeconds, LEAST_TIMEOUT_SECONDS),
    lameDuckSeconds: config.lameDuckSeconds,
    shutdownSeconds: config.shutdownSeconds + STOP_MARGIN_SECONDS,
  };
  const message: StartSealable = { kind: 'start', config, ...start };
  return controlProcess(child, times, (tell) => tell(message));
}
