import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../../../../packages/server/src/config/read-config.ts';
import { makeDataDirectory } from '../../../../support/data-directory.ts';
import { DATABASE_TIMEOUT_SECONDS, type Engine, type Installation, MAX_QUEUE_MS } from '../../../../support/installation.ts';
import { copyDatabase, createDatabase, type TestDatabase } from '../../../../support/postgres-database.ts';
import { openRawPostgres, openRawSqlite, type RawDatabase } from '../../../../support/raw-database.ts';

/** An installation whose data directory is in a larger directory, where commands put backups and archives. */
export interface PhasePlace extends Installation {
  readonly home: string;
  readonly databaseUrl?: string;
  /** Closes the connection of `raw`. A database that is copied must have none. */
  rest(): Promise<void>;
}

/** Creates a place with an empty database. PostgreSQL databases are created on `server`, or on the server of the test run. */
export async function createPhasePlace(engine: Engine, server?: string): Promise<PhasePlace> {
  return assemble(engine, makeDataDirectory('phase'), engine === 'sqlite' ? undefined : await createDatabase(server));
}

/** Copies a place that nothing uses. */
export async function copyPlace(original: PhasePlace): Promise<PhasePlace> {
  await original.rest();
  const home = makeDataDirectory('phase');
  cpSync(original.home, home, { recursive: true, preserveTimestamps: true });
  const { databaseUrl } = original;
  return assemble(original.engine, home, databaseUrl === undefined ? undefined : await copyDatabase(databaseUrl));
}

/** Copies the files of a data directory without its database: what an operator has who lost the database. */
export function copyFiles(from: PhasePlace, to: PhasePlace): void {
  for (const name of readdirSync(from.directory))
    if (!name.startsWith('countersign.db')) cpSync(join(from.directory, name), join(to.directory, name), { recursive: true });
}

function assemble(engine: Engine, home: string, database: TestDatabase | undefined): PhasePlace {
  const directory = join(home, 'data');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const url = database?.url;
  const settings = {
    dataDir: directory,
    port: '0',
    logLevel: 'silent',
    databaseTimeoutSeconds: DATABASE_TIMEOUT_SECONDS,
    maxQueueMs: MAX_QUEUE_MS,
    ...(url !== undefined && { databaseUrl: url }),
  };
  let opened: Promise<RawDatabase> | undefined;
  const rest = async () => {
    await (await opened)?.close();
    opened = undefined;
  };
  return {
    engine,
    home,
    directory,
    config: readConfig(settings, {}),
    ...(url !== undefined && { databaseUrl: url }),
    raw: () => (opened ??= url === undefined ? openSqliteRaw(directory) : openRawPostgres(url)),
    rest,
    async remove() {
      await rest();
      await database?.drop();
      rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

const openSqliteRaw = async (directory: string) => openRawSqlite(join(directory, 'countersign.db'));
