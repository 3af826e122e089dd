import type pg from 'pg';
import { createArchiveReaders } from '../archive.ts';
import { createCopyReaders } from '../copy.ts';
import { createCounters } from '../counters.ts';
import { createEvents } from '../events.ts';
import { createLogReaders } from '../log.ts';
import type { Migration } from '../migrations/migration.ts';
import { migrations } from '../migrations/migrations.ts';
import { createOutbox } from '../outbox.ts';
import { createReaders } from '../readers.ts';
import { type Read, withNumberedParameters } from '../statement.ts';
import type { Release, Store, StoreDescription } from '../store.ts';
import { createMove } from './archive.ts';
import { createCommitBatch } from './commit.ts';
import { createPool, toConfig, toLocation } from './connection.ts';
import { maintain, readAll } from './copy.ts';
import { readServer, refuseUnfit } from './durability.ts';
import { toOpenFault, toRunFault } from './faults.ts';
import { hold } from './hold.ts';
import { createLogWriters } from './log-writers.ts';
import { migrate, schemaVersion } from './migrate.ts';
import { type Execute, withSession } from './session.ts';
import { toStored } from './text.ts';
import { createVaultWriters } from './vault-writers.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with the options that node-postgres knows, such as `sslmode`. */
  readonly url: string;
  /** The most connections of this process. */
  readonly poolSize?: number;
  readonly statementTimeoutMs?: number;
  readonly lockTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  /** Also starts if a server crash can lose acknowledged commits. `describe` then says `durable: false`. */
  readonly allowUnsafe?: boolean;
  /** The target schema. Defaults to everything this release knows; tests may choose another. */
  readonly migrations?: readonly Migration[];
}

/**
 * Opens a store in a PostgreSQL database and migrates it if needed. Any number of processes and machines may share it.
 * Throws a `StoreFault` if the server is unreachable, unfit or has a newer schema. No message holds the password.
 */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  const { url } = options;
  const config = toConfig(url, {
    statementMs: options.statementTimeoutMs ?? 15_000,
    lockMs: options.lockTimeoutMs ?? 5_000,
    connectMs: options.connectTimeoutMs ?? 5_000,
  });
  const location = toLocation(url);
  const pool = createPool(config, options.poolSize ?? 8);
  try {
    await refuseUnfit(pool, location, options.allowUnsafe ?? false);
    await migrate(config, options.migrations ?? migrations);
    return createStore(pool, config, location);
  } catch (error) {
    await pool.end();
    throw toOpenFault(error, location);
  }
}

function createStore(pool: pg.Pool, config: pg.ClientConfig, location: string): Store {
  const read = createRead((name, sql, params) => withSession(pool, ({ execute }) => execute(name, sql, params)));
  const readers = createReaders(read);
  const commitBatch = createCommitBatch(pool);
  const releases = new Set<Release>();
  let closed: Promise<void> | undefined;

  async function close(): Promise<void> {
    // A lost hold is reported to its holder. Closing ends it either way.
    await Promise.allSettled([...releases].map((release) => release()));
    await pool.end();
  }

  const store: Store = {
    ...readers,
    commit: (batch, fence) => commitBatch(batch, fence),
    outbox: createOutbox(read, 'FOR UPDATE SKIP LOCKED'),
    events: createEvents(read),
    counters: createCounters(read),
    log: { ...createLogReaders(read), ...createLogWriters(pool) },
    archive: { ...createArchiveReaders(read), move: createMove(pool) },
    copy: {
      ...createCopyReaders(read),
      read: () => readAll(config),
    },
    maintain: (work) => maintain(config, (reading) => ({ ...store, ...readersOn(reading, store) }), work),
    vault: { ...readers.vault, ...createVaultWriters(pool) },
    async hold(mode) {
      const release = await hold(config, mode);
      releases.add(release);
      return release;
    },
    async describe() {
      try {
        return await describe(pool, location);
      } catch (error) {
        throw toRunFault(error, false);
      }
    },
    ping: async () => void (await withSession(pool, ({ execute }) => execute('', 'SELECT 1 FROM organizations LIMIT 1', []))),
    close: () => (closed ??= close()),
  };
  return store;
}

/** The reading parts of a store on another way to read. What writes stays as it is. */
function readersOn(read: Read, { log, vault, archive, copy }: Store): Partial<Store> {
  const readers = createReaders(read);
  return {
    ...readers,
    log: { ...log, ...createLogReaders(read) },
    vault: { ...vault, ...readers.vault },
    archive: { ...archive, ...createArchiveReaders(read) },
    copy: { ...copy, ...createCopyReaders(read) },
  };
}

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

async function describe(pool: pg.Pool, location: string): Promise<StoreDescription> {
  const { version, durable, facts } = await readServer(pool);
  const size = await pool.query('SELECT pg_database_size(current_database()) AS bytes');
  return {
    engine: 'postgres',
    engineVersion: version,
    schemaVersion: await schemaVersion(pool),
    location,
    durable,
    facts: { ...facts, databaseBytes: String(size.rows[0].bytes), connections: String(pool.totalCount) },
  };
}
