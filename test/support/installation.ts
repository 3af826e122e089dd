import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../../packages/server/src/config/read-config.ts';
import type { Config } from '../../packages/server/src/config/settings.ts';
import { makeDataDirectory } from './data-directory.ts';
import { createDatabase, createMigratedDatabase, type TestDatabase } from './postgres-database.ts';
import { openRawPostgres, openRawSqlite, type RawDatabase } from './raw-database.ts';

/** An installation for one test: a data directory, and a database of one engine. It is empty until a service opens it. */
export interface Installation {
  readonly engine: Engine;
  readonly directory: string;
  /** The defaults of the service, on a free port, with longer deadlines. */
  readonly config: Config;
  /** Direct access to the database. The tables exist once a service has opened the installation. */
  raw(): Promise<RawDatabase>;
  remove(): Promise<void>;
}

export type Engine = 'sqlite' | 'postgres';

/** Many tests share one machine, whose disk may stall for seconds. Tests of deadlines set their own. */
export const DATABASE_TIMEOUT_SECONDS = '60';
/** Long enough that a service on a slow machine does not shed load. Tests of load shedding set their own. */
export const MAX_QUEUE_MS = '600000';

/** A machine under load may take seconds to log an activity. Tests of the log set their own. */
const LOG_ALARM_SECONDS = '120';
const LOG_STOP_SECONDS = '240';

const settings = {
  port: '0',
  logLevel: 'silent',
  databaseTimeoutSeconds: DATABASE_TIMEOUT_SECONDS,
  maxQueueMs: MAX_QUEUE_MS,
  logAlarmSeconds: LOG_ALARM_SECONDS,
  logStopSeconds: LOG_STOP_SECONDS,
};

/** Creates an empty installation on each engine. */
export const engines: Readonly<Record<Engine, () => Promise<Installation>>> = {
  async sqlite() {
    const directory = makeDataDirectory('test');
    return assemble(
      'sqlite',
      directory,
      {},
      async () => openRawSqlite(join(directory, 'countersign.db')),
      async () => undefined,
    );
  },
  postgres: async () => onPostgres(await createDatabase()),
};

/** Creates an installation with the tables of this release, for tests that are not about first runs: PostgreSQL copies a template. */
export const preparedEngines: typeof engines = {
  sqlite: engines.sqlite,
  postgres: async () => onPostgres(await createMigratedDatabase()),
};

function onPostgres({ url: databaseUrl, drop }: TestDatabase): Installation {
  return assemble('postgres', makeDataDirectory('test'), { databaseUrl }, () => openRawPostgres(databaseUrl), drop);
}

function assemble(
  engine: Engine,
  directory: string,
  own: Partial<Config>,
  open: () => Promise<RawDatabase>,
  drop: () => Promise<void>,
): Installation {
  let opened: Promise<RawDatabase> | undefined;
  return {
    engine,
    directory,
    config: {
      ...readConfig({ dataDir: directory, ...settings }, {}),
      ...own,
    },
    raw: () => (opened ??= open()),
    async remove() {
      await (await opened)?.close();
      await drop();
      // A killed process may still write for a short time.
      await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
