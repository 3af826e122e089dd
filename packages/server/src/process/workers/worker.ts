import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../config/settings.ts';
import type { HandedKey } from '../../vault/root-key/providers/shares/custody.ts';
import { startHeartbeat } from './heartbeat.ts';
import type { FromWorker, ToWorker } from './messages.ts';

/** A worker process, as the primary process sees it. */
export interface Worker {
  readonly pid: number | undefined;
  /** Resolves when the worker serves. Rejects with the worker's reason if it cannot start. */
  readonly ready: Promise<void>;
  /** Resolves when the worker has ended, however it ended, with the cause. */
  readonly ended: Promise<string>;
  /** Whether the worker answers pings. A stopped process or a blocked event loop does not. */
  isResponsive(): boolean;
  tell(message: ToWorker): void;
  /** Hands a connection over. If the worker dies before receiving it, the connection ends. */
  give(socket: Socket): void;
  onMessage(listen: (message: FromWorker) => void): void;
  /** Lets the worker finish its requests in flight, and kills it when that takes too long. */
  stop(): Promise<void>;
  /** Ends the worker now. */
  kill(): void;
}

/** How much longer a worker may take to stop than its requests in flight may take. */
const STOP_MARGIN_MS = 5_000;

/** What a worker process runs. */
export interface WorkerFiles {
  readonly workerEntry: URL;
  readonly edgeEntry: URL;
  /** Loaded before anything else. */
  readonly ignoreDebuggerSignal: URL;
}

/** How long a process may be silent, and how long it may take to stop. */
export type WorkerTimes = Pick<Config, 'workerTimeoutSeconds' | 'lameDuckSeconds' | 'shutdownSeconds'>;

type Tell = (message: object) => void;
/** Root keys in shares, as copies that are overwritten after use. */
export type HandKeys = () => readonly HandedKey[];

/** The first message to a worker. */
export function startMessage(config: Config, handKeys: HandKeys): (tell: Tell) => void {
  return (tell) => {
    const rootKeys = handKeys();
    const message: ToWorker = { kind: 'start', config, rootKeys };
    tell(message);
    for (const { bytes } of rootKeys) bytes.fill(0);
  };
}

/** Starts a worker process. */
export function startProcess(config: Config, { workerEntry, ignoreDebuggerSignal }: WorkerFiles, handKeys: HandKeys): Worker {
  const child = fork(fileURLToPath(workerEntry), {
    serialization: 'advanced',
    execArgv: [...process.execArgv, '--import', ignoreDebuggerSignal.href],
  });
  return controlProcess(child, config, startMessage(config, handKeys));
}

/**
 * Starts, watches and stops a process. `start` tells it its first message.
 * SECURITY: an edge process may send anything, so messages are only compared.
 */
export function controlProcess(child: ChildProcess, times: WorkerTimes, start: (tell: Tell) => void): Worker {
  const onTheWay = new Map<number, Socket>();
  let lastSocket = 0;
  // By then the worker holds the connection itself, or has died.
  const letGo = (id: number) => {
    onTheWay.get(id)?.destroy();
    onTheWay.delete(id);
  };
  child.on('message', (message: FromWorker | null) => message?.kind === 'accepted' && letGo(message.id));
  const ended = new Promise<string>((resolve) => {
    // A message to a process that has just died fails, and its exit follows. A process that could not start has no exit.
    child.on('error', (error) => {
      if (child.pid !== undefined) return;
      heartbeat.stop();
      resolve(error.message);
    });
    child.once('exit', (code, signal) => {
      // INVARIANT: every connection gets a response or an end, even if its handover failed.
      for (const id of onTheWay.keys()) letGo(id);
      const silentSeconds = heartbeat.stop();
      resolve(silentSeconds === undefined ? (signal ?? `code ${code}`) : `no response for ${silentSeconds} seconds`);
    });
  });
  const tell = (message: object) => void (child.connected && child.send(message));
  const heartbeat = startHeartbeat(times.workerTimeoutSeconds, {
    ping: () => tell({ kind: 'ping' }),
    // SIGKILL also ends a stopped process.
    kill: () => child.kill('SIGKILL'),
  });
  child.on('message', (message: FromWorker | null) => {
    if (message?.kind === 'ready') heartbeat.ready();
    if (message?.kind === 'pong') heartbeat.pong();
  });

  return {
    pid: child.pid,
    ready: untilReady(child, ended, () => start(tell)),
    ended,
    isResponsive: heartbeat.isResponsive,
    tell,
    give(socket) {
      const id = ++lastSocket;
      onTheWay.set(id, socket);
      // Keep the socket open here until the worker confirms it: Node forgets a socket whose receiver dies during the handover.
      const message: ToWorker = { kind: 'connection', id };
      child.send(message, socket, { keepOpen: true }, (error) => error !== null && letGo(id));
    },
    onMessage: (listen) => void child.on('message', listen),
    kill: () => void child.kill('SIGKILL'),
    async stop() {
      const timer = setTimeout(
        () => child.kill('SIGKILL'),
        (times.lameDuckSeconds + times.shutdownSeconds) * 1000 + STOP_MARGIN_MS,
      );
      // A worker that is not awake yet misses the first message.
      child.on('message', (message: FromWorker | null) => message?.kind === 'awake' && tell({ kind: 'stop' }));
      tell({ kind: 'stop' });
      await ended;
      clearTimeout(timer);
    },
  };
}

function untilReady(child: ChildProcess, ended: Promise<string>, start: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    ended.then((how) => reject(new Error(`a worker ended with ${how} before it was ready`)));
    child.on('message', (message: FromWorker | null) => {
      if (message?.kind === 'awake') start();
      if (message?.kind === 'ready') resolve();
      if (message?.kind === 'failed') reject(workerFailure(message));
    });
  });
}

/** The error of a process that could not start. */
export function workerFailure({ message, code, fix }: FromWorker & { readonly kind: 'failed' }): Error {
  return Object.assign(new Error(message), { ...(code !== undefined && { code }), ...(fix !== undefined && { fix }) });
}
