import type pg from 'pg';
import { createCounters } from '../counters.ts';
import { createEvents } from '../events.ts';
import { createLogReaders } from '../log.ts';
import type { Migration } from '../migrations/migration.ts';
import { migrations } from '../migrations/migrations.ts';
import { createOutbox } from '../outbox.ts';
import { createReaders } from '../readers.ts';
import { type Read, withNumberedParameters } from '../statement.ts';
import type { Release, Store, StoreDescription } from '../store.ts';
import { createCommitBatch } from './commit.ts';
import { createPool, toConfig, withoutTimeouts } from './connection.ts';
import { readServer, refuseUnfit } from './durability.ts';
import { toOpenFault, toRunFault } from './faults.ts';
import { hold } from './hold.ts';
import { createLogWriters } from './log-writers.ts';
import { migrate, schemaVersion } from './migrate.ts';
import { createProgressGuard, type ProgressGuard } from './progress.ts';
import { withSession } from './session.ts';
import { createTargets, type Targets } from './targets.ts';
import { toStored } from './text.ts';
import { createVaultWriters } from './vault-writers.ts';

/** Connections of one process, unless the operator says otherwise. */
const DEFAULT_POOL_SIZE = 8;

export interface PostgresOptions {
  /**
   * `postgres://user:password@host:port/database`, with the options that node-postgres knows, such as `sslmode`. Of several hosts,
   * separated by commas, the one that takes writes is used.
   */
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
  const targets = createTargets(options.url);
  const { location } = targets;
  const config = toConfig({
    statementMs: options.statementTimeoutMs ?? 15_000,
    lockMs: options.lockTimeoutMs ?? 5_000,
    connectMs: options.connectTimeoutMs ?? 5_000,
  });
  const progress = createProgressGuard();
  const pool = createPool(targets, config, options.poolSize ?? DEFAULT_POOL_SIZE, progress.check);
  try {
    await refuseUnfitInTurn(pool, targets, options.allowUnsafe ?? false);
    await migrate(new targets.Client(withoutTimeouts(config)), options.migrations ?? migrations);
    return createStore(pool, config, targets, progress);
  } catch (error) {
    await pool.end();
    throw toOpenFault(error, location);
  }
}

/** Looks at the servers one after the other, until one is fit. */
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
  const read = createRead(pool);
  const readers = createReaders(read);
  const commitBatch = createCommitBatch(pool);
  const releases = new Set<Release>();
  let closed: Promise<void> | undefined;

  async function close(): Promise<void> {
    // A lost hold is reported to its holder. Closing ends it either way.
    await Promise.allSettled([...releases].map((release) => release()));
    await pool.end();
  }

  return {
    ...readers,
    commit: (batch) => commitBatch(batch),
    outbox: createOutbox(read, 'FOR UPDATE SKIP LOCKED'),
    events: createEvents(read),
    counters: createCounters(read),
    log: { ...createLogReaders(read), ...createLogWriters(pool), noteSize: progress.note },
    vault: { ...readers.vault, ...createVaultWriters(pool) },
    async hold(mode) {
      const release = await hold(() => new targets.Client({ ...config, application_name: 'countersign hold' }), mode);
      releases.add(release);
      return release;
    },
    async describe() {
      try {
        return await describe(pool, targets.location);
      } catch (error) {
        throw toRunFault(error, false);
      }
    },
    ping: async () => void (await withSession(pool, ({ execute }) => execute('', 'SELECT 1 FROM organizations LIMIT 1', []))),
    close: () => (closed ??= close()),
  };
}

function createRead(pool: pg.Pool): Read {
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
    withSession(pool, ({ execute }) =>
      execute(
        name ?? '',
        toSql(sql, name),
        params.map((value) => (typeof value === 'string' ? toStored(value) : value)),
      ),
    );
}

async function describe(pool: pg.Pool, location: string): Promise<StoreDescription> {
  const { version, durable, asynchronousStandbys, facts } = await readServer(pool);
  const size = await pool.query('SELECT pg_database_size(current_database()) AS bytes');
  return {
    engine: 'postgres',
    engineVersion: version,
    schemaVersion: await schemaVersion(pool),
    location,
    durable,
    asynchronousStandbys,
    facts: { ...facts, databaseBytes: String(size.rows[0].bytes), connections: String(pool.totalCount) },
  };
}
