import type pg from 'pg';
import { createCountReaders } from '../activity-counts.ts';
import { createArchiveReaders } from '../archive.ts';
import { createBacklog } from '../backlog.ts';
import { createCopyReaders } from '../copy.ts';
import { createCounters } from '../counters.ts';
import { createEvents } from '../events.ts';
import { createLogReaders } from '../log.ts';
import { createMailEvents } from '../mail-events.ts';
import { requireCurrent, versionOf } from '../migrations/check-schema.ts';
import type { Migration } from '../migrations/migration.ts';
import { migrations } from '../migrations/migrations.ts';
import { createNotices } from '../notices.ts';
import { createOutbox } from '../outbox.ts';
import { createReaders } from '../readers.ts';
import { createRecodeReaders } from '../recode.ts';
import { createSends } from '../sends.ts';
import { createSessionUses } from '../session-uses.ts';
import { type Read, withNumberedParameters } from '../statement.ts';
import type { Release, Store, StoreDescription } from '../store.ts';
import { createTermReaders } from '../term-store.ts';
import { createUsage } from '../usage.ts';
import { createMove, createReclaim } from './archive.ts';
import { createCommitBatch } from './commit.ts';
import { retryWhileUnreachable } from './connect-retry.ts';
import { createPool, toConfig, withoutTimeouts } from './connection.ts';
import { copyConfig, maintain, readAll } from './copy.ts';
import { createCountWriters } from './count-writers.ts';
import { readServer, refuseUnfit } from './durability.ts';
import { toOpenError, toRunError } from './errors.ts';
import { lockInstallation, tryNamedLock } from './installation-lock.ts';
import { createLogWriters } from './log-writers.ts';
import { appliedSteps, migrate } from './migrate.ts';
import { createNamedLocks, MAX_HELD_MS } from './named-locks.ts';
import { createProgressGuard, type ProgressGuard } from './progress.ts';
import { createRecodeWriters } from './recode.ts';
import { createSendWriters } from './send-writers.ts';
import { type Execute, withSession } from './session.ts';
import { createTargets, type Targets } from './targets.ts';
import { createTermWriters } from './term-writers.ts';
import { toStored } from './text.ts';
import { createVaultWriters } from './vault-writers.ts';

/** Default number of connections per process. */
const DEFAULT_POOL_SIZE = 8;

export interface PostgresOptions {
  /**
   * `postgres://user:password@host:port/database`, with options of node-postgres such as `sslmode`. If the URL lists several hosts,
   * separated by commas, the one that accepts writes is used.
   */
  readonly url: string;
  /** Maximum number of connections in the pool of this process. */
  readonly poolSize?: number;
  readonly statementTimeoutMs?: number;
  readonly lockTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  /** How long to retry while the server does not answer. */
  readonly startupTimeoutMs?: number;
  /** Starts even if a server crash can lose acknowledged commits. `describe` then reports `durable: false`. */
  readonly allowUnsafe?: boolean;
  /** False: throws unless the schema is current, and changes nothing. */
  readonly migrate?: boolean;
  /** The target schema. Defaults to all migrations of this release; tests may choose another. */
  readonly migrations?: readonly Migration[];
}

/**
 * Opens a store in a PostgreSQL database and migrates it if needed. Any number of processes and machines may share it.
 * Throws a `StoreError` if the server is unreachable, unfit or has a newer schema. No message contains the password.
 */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  const targets = createTargets(options.url);
  const { location } = targets;
  const statementMs = options.statementTimeoutMs ?? 5_000;
  // A longer statement timeout indicates a slow database, so scale the timeouts of locks and connections with it.
  const lockMs = options.lockTimeoutMs ?? Math.max(3_000, statementMs * 0.6);
  const connectMs = options.connectTimeoutMs ?? Math.max(2_000, statementMs * 0.4);
  const config = toConfig({ statementMs, lockMs, connectMs });
  const poolSize = options.poolSize ?? DEFAULT_POOL_SIZE;
  const progress = createProgressGuard(poolSize);
  const pool = createPool(targets, config, poolSize, progress.check);
  try {
    await retryWhileUnreachable(() => refuseUnfitInTurn(pool, targets, options.allowUnsafe ?? false), options.startupTimeoutMs);
    const steps = options.migrations ?? migrations;
    if (options.migrate ?? true) {
      await retryWhileUnreachable(() => migrate(new targets.Client(withoutTimeouts(config)), steps), options.startupTimeoutMs);
    } else {
      await retryWhileUnreachable(async () => requireCurrent(await appliedSteps(pool), steps), options.startupTimeoutMs);
    }
    return createStore(pool, config, targets, progress);
  } catch (error) {
    await pool.end();
    throw toOpenError(error, location);
  }
}

/** Checks the servers one after another until one is fit. */
async function refuseUnfitInTurn(pool: pg.Pool, { count, location, moveOn }: Targets, allowUnsafe: boolean): Promise<void> {
  for (let left = count; ; left--) {
    const client = await pool.connect().catch((error: unknown) => {
      if (left === 1) throw error;
      return undefined;
    });
    let fit = false;
    try {
      if (client !== undefined) {
        await refuseUnfit(client, location, allowUnsafe);
        fit = true;
        return;
      }
    } catch (error) {
      if (left === 1 || client === undefined) throw error;
      moveOn(client);
    } finally {
      client?.release(!fit);
    }
  }
}

function createStore(pool: pg.Pool, config: pg.ClientConfig, targets: Targets, progress: ProgressGuard): Store {
  const read = createRead((name, sql, params) => withSession(pool, ({ execute }) => execute(name, sql, params)));
  const readers = createReaders(read, hexOf);
  const turnConfig = { ...config, application_name: 'countersign turn', idle_in_transaction_session_timeout: MAX_HELD_MS };
  const locks = createNamedLocks(() => new targets.Client(turnConfig));
  const commitBatch = createCommitBatch(pool, locks, progress);
  const holdClient = () => new targets.Client({ ...config, application_name: 'countersign hold' });
  const copyClient = () => new targets.Client(copyConfig(config));
  const releases = new Set<Release>();
  let closed: Promise<void> | undefined;

  async function close(): Promise<void> {
    // A lost lock does not prevent closing. `release` reports it to its holder.
    await Promise.allSettled([...releases].map((release) => release()));
    await locks.close();
    await pool.end();
  }

  const store: Store = {
    ...readers,
    commit: (batch, fence) => commitBatch(batch, fence),
    withLock: locks.run,
    outbox: createOutbox(read, 'FOR UPDATE SKIP LOCKED'),
    sends: { ...createSends(read), ...createSendWriters(pool) },
    events: createEvents(read),
    counters: createCounters(read),
    backlog: createBacklog(read),
    usage: createUsage(read),
    notices: createNotices(read),
    mailEvents: createMailEvents(read),
    sessionUses: createSessionUses(read),
    counts: { ...createCountReaders(read), ...createCountWriters(pool) },
    terms: { ...createTermReaders(read), ...createTermWriters(pool) },
    log: { ...createLogReaders(read), ...createLogWriters(pool), noteSize: progress.note },
    archive: { ...createArchiveReaders(read), move: createMove(pool), reclaim: createReclaim(copyClient) },
    copy: { ...createCopyReaders(read), read: () => readAll(copyClient) },
    recode: { ...createRecodeReaders(read), ...createRecodeWriters(pool, copyClient) },
    maintain: (work) => maintain(copyClient, (reading) => ({ ...store, ...readersOn(reading, store) }), work),
    vault: { ...readers.vault, ...createVaultWriters(pool) },
    async lockInstallation(mode) {
      const release = await lockInstallation(holdClient, mode);
      releases.add(release);
      return release;
    },
    async tryNamedLock(name, mode) {
      const release = await tryNamedLock(holdClient, name, mode);
      if (release !== undefined) releases.add(release);
      return release;
    },
    async describe() {
      try {
        return await describe(pool, targets);
      } catch (error) {
        throw toRunError(error, false);
      }
    },
    ping: async () => void (await withSession(pool, ({ execute }) => execute('', 'SELECT 1 FROM organizations LIMIT 1', []))),
    connections: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => (closed ??= close()),
  };
  return store;
}

/** The reads of a store through another `Read`. Writes stay unchanged. */
function readersOn(read: Read, { log, vault, archive, copy }: Store): Partial<Store> {
  const readers = createReaders(read, hexOf);
  return {
    ...readers,
    log: { ...log, ...createLogReaders(read) },
    vault: { ...vault, ...readers.vault },
    archive: { ...archive, ...createArchiveReaders(read) },
    copy: { ...copy, ...createCopyReaders(read) },
  };
}

const hexOf = (column: string) => `encode(${column}, 'hex')`;

function createRead(execute: Execute): Read {
  const numbered = new Map<string, string>();
  const toSql = (sql: string, name: string | undefined) => {
    if (name === undefined) return withNumberedParameters(sql);
    const known = numbered.get(name);
    if (known !== undefined) return known;
    const made = withNumberedParameters(sql);
    numbered.set(name, made);
    return made;
  };
  return ({ sql, name }, params) =>
    execute(
      name ?? '',
      toSql(sql, name),
      params.map((value) => (typeof value === 'string' ? toStored(value) : value)),
    );
}

async function describe(pool: pg.Pool, { location, protection }: Targets): Promise<StoreDescription> {
  const { version, durable, asynchronousStandbys, facts } = await readServer(pool);
  const size = await pool.query('SELECT pg_database_size(current_database()) AS bytes');
  return {
    engine: 'postgres',
    engineVersion: version,
    schemaVersion: versionOf(await appliedSteps(pool)),
    location,
    durable,
    asynchronousStandbys,
    facts: { ...facts, connection: protection, databaseBytes: String(size.rows[0].bytes), connections: String(pool.totalCount) },
  };
}
