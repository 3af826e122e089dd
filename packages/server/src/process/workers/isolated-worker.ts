import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { Config } from '../../config/settings.ts';
import { type UsedTls, watchTls } from '../../http/transport/tls.ts';
import type { TlsSettings } from '../../http/transport/tls-files.ts';
import { type Confinement, edgeCommand, edgeEnvironment } from '../../isolation/confinement.ts';
import type { ToEdge } from '../../isolation/edge-messages.ts';
import type { EdgeSettings } from '../../isolation/edge-settings.ts';
import { guardChannel } from '../../isolation/guard-channel.ts';
import type { FromWorker } from './messages.ts';
import { controlProcess, type HandKeys, startMessage, type Worker, type WorkerFiles } from './worker.ts';

/** How soon to replace an edge that ended. The delay grows each time that the replacement does not even start. */
const RESTART_MS = 100;
const LONGEST_RESTART_MS = 10_000;
/** Kept of what an edge writes to its standard error. */
const MAX_STDERR = 2_000;

/** What starts the processes of one worker. */
export interface Isolation {
  readonly config: Config;
  readonly files: WorkerFiles;
  readonly confinement: Confinement;
  readonly log: Pick<Logger, 'info' | 'error'>;
  /** Root keys in shares, for the core. */
  readonly handKeys?: HandKeys;
}

/** An edge process, as the parent sees it. */
interface EdgeProcess {
  readonly worker: Worker;
  /** The core's end of the pipe between them. */
  readonly pipe: Socket;
  /** The end of what it wrote to its standard error. */
  said(): string;
  tell(message: ToEdge): void;
}

/**
 * Starts a core and an edge that together are one worker. Connections go to the edge. An edge that ends is replaced, and the core stays; with
 * a core that ends, the worker has ended.
 */
export function startIsolated(isolation: Isolation): Worker {
  const { config, log, handKeys = () => [] } = isolation;
  const child = startCore(isolation);
  const core = controlProcess(child, config, startMessage(config, handKeys));
  let edge: EdgeProcess | undefined;
  let tls: UsedTls | undefined;
  const watched = watchTls(tlsSettings(config), log, useTls);
  tls = watched?.first;
  let pauseMs = RESTART_MS;
  let isEnding = false;

  function useTls(next: UsedTls): void {
    tls = next;
    edge?.tell({ kind: 'reload', tls });
  }

  async function addEdge(): Promise<void> {
    const started = startEdgeProcess(isolation, tls);
    void started.worker.ended.then((how) => {
      if (edge === started) edge = undefined;
      if (isEnding) return;
      log.error(
        { edge: started.worker.pid, how, said: started.said() },
        'an edge process ended unexpectedly; starting a replacement',
      );
      setTimeout(replaceEdge, pauseMs).unref();
      pauseMs = Math.min(pauseMs * 2, LONGEST_RESTART_MS);
    });
    try {
      await started.worker.ready;
    } catch (error) {
      throw new Error(`${(error as Error).message}. ${started.said()}`.trim(), { cause: error });
    }
    pauseMs = RESTART_MS;
    await attach(started.pipe);
    edge = started;
  }

  /**
   * Gives the core its end of the pipe.
   * INVARIANT: the edge gets no connection, and so writes nothing, before the core has confirmed: until then this process reads that end too.
   */
  async function attach(pipe: Socket): Promise<void> {
    const attached = new Promise<void>((resolve) => {
      const listen = ({ kind }: FromWorker) => {
        if (kind !== 'attached') return;
        child.off('message', listen);
        resolve();
      };
      child.on('message', listen);
    });
    child.send({ kind: 'edge' }, pipe, (error) => error !== null && pipe.destroy());
    await Promise.race([attached, core.ended]);
  }

  function replaceEdge(): void {
    if (isEnding) return;
    // If the start fails, the end of that edge triggers the next start.
    addEdge().catch((error: unknown) => log.error({ err: error }, 'the replacement of an edge process did not start'));
  }

  void core.ended.then(() => {
    isEnding = true;
    watched?.close();
    // Its pipe has ended too, so it ends by itself, unless it hangs.
    void edge?.worker.stop();
  });

  return {
    pid: core.pid,
    ready: core.ready.then(addEdge),
    ended: core.ended,
    isResponsive: () => core.isResponsive() && edge?.worker.isResponsive() === true,
    tell(message) {
      core.tell(message);
      if (message.kind === 'reload') watched?.reload(tlsSettings(message.config));
    },
    give: (socket) => (edge === undefined ? void socket.destroy() : edge.worker.give(socket)),
    onMessage: core.onMessage,
    kill() {
      core.kill();
      edge?.worker.kill();
    },
    async stop() {
      isEnding = true;
      await core.stop();
      await edge?.worker.stop();
    },
  };
}

/** The core has the rights of this process, except that it leaves no core dump and gains no privileges. */
function startCore({ files, confinement: { confine } }: Isolation): ChildProcess {
  const flags = [...process.execArgv, '--import', files.ignoreDebuggerSignal.href, fileURLToPath(files.workerEntry)];
  const options = { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] as const, serialization: 'advanced' as const };
  return confine === undefined
    ? spawn(process.execPath, flags, { ...options, stdio: [...options.stdio] })
    : spawn(confine, ['core', '--', process.execPath, ...flags], { ...options, stdio: [...options.stdio] });
}

/** SECURITY: D586: neither the environment nor an open file of this process reaches an edge, and what it writes is not taken for log lines. */
function startEdgeProcess({ config, files, confinement, log }: Isolation, tls: UsedTls | undefined): EdgeProcess {
  const { file, args } = edgeCommand(confinement, files);
  const spawnEdge = () =>
    spawn(file, args, {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'ipc'],
      // SECURITY: this process parses what an edge sends to it. JSON is simpler than the format of V8.
      serialization: 'json',
      env: edgeEnvironment(),
      cwd: '/',
      ...confinement.user,
    });
  const child = guardChannel(spawnEdge, (error) => log.error({ err: error }, 'an edge process sent what is not a message'));
  // The edge may end before the core has the pipe.
  child.stdio[3]?.on('error', () => {});
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-MAX_STDERR);
  });
  // An edge has no reason to send a file descriptor.
  child.on('message', (_, handle: { destroy?(): void; close?(): void } | undefined) =>
    (handle?.destroy ?? handle?.close)?.call(handle),
  );
  const start: ToEdge = { kind: 'start', settings: edgeSettings(config, tls) };
  return {
    worker: controlProcess(child, config, (tell) => tell(start)),
    pipe: child.stdio[3] as Socket,
    said: () => said.trim(),
    tell: (message) => void (child.connected && child.send(message)),
  };
}

function edgeSettings(config: Config, tls: UsedTls | undefined): EdgeSettings {
  const { requestTimeoutSeconds, keepAliveSeconds, maxUntakenAnswerBytes, webhookNetworks, pushNetworks } = config;
  const { handshakesPerAddress, maxQueueMs, trustedProxies } = config;
  return {
    ...(config.adminListen && { adminPort: config.adminListen.port }),
    handshakes: { handshakesPerAddress, maxQueueMs, trustedProxies },
    requestTimeoutSeconds,
    keepAliveSeconds,
    maxUntakenAnswerBytes,
    webhookNetworks,
    pushNetworks,
    ...(config.proxyProtocol && { proxies: trustedProxies }),
    ...(tls && { tls }),
  };
}

/** SECURITY: of all settings, only these reach an edge. */
function tlsSettings(settings: TlsSettings): TlsSettings {
  const { tlsCert, tlsKey, tlsMinVersion, tlsClientCa, tlsClientCrl, tlsClientAuth } = settings;
  return {
    tlsMinVersion,
    tlsClientAuth,
    ...(tlsCert !== undefined && { tlsCert }),
    ...(tlsKey !== undefined && { tlsKey }),
    ...(tlsClientCa !== undefined && { tlsClientCa }),
    ...(tlsClientCrl !== undefined && { tlsClientCrl }),
  };
}
