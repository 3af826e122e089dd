import { rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { makeDataDirectory } from '../../../support/data-directory.ts';
import type { Engine } from '../../../support/installation.ts';
import { type CrashablePostgres, startPostgres } from '../../../support/postgres.ts';
import { createDatabase } from '../../../support/postgres-database.ts';
import { openRawPostgres, openRawSqlite, type RawDatabase } from '../../../support/raw-database.ts';
import type { Place } from '../../fault/support/serving.ts';
import { roomyFlags } from '../../fault/support/workload.ts';

/** Limits that no run reaches: an outage leaves many requests open. */
export const tortureFlags = [...roomyFlags, '--max-kept-refusals', '0', '--max-open-activities', '10000'];

/** A place that a fault may destroy, and that removes itself. */
export interface OwnPlace extends Place {
  remove(): Promise<void>;
}

/** A place on a PostgreSQL of its own. */
export interface PostgresPlace extends OwnPlace {
  readonly server: CrashablePostgres;
  readonly databaseUrl: string;
}

export async function openPlace(engine: Engine): Promise<OwnPlace> {
  return engine === 'sqlite' ? openSqlitePlace() : openPostgresPlace();
}

export function openSqlitePlace(): OwnPlace {
  const directory = makeDataDirectory('torture');
  const remove = async () => rmSync(directory, { recursive: true, force: true });
  return { engine: 'sqlite', directory, raw: eachTime(async () => openRawSqlite(join(directory, 'countersign.db'))), remove };
}

export async function openPostgresPlace(): Promise<PostgresPlace> {
  const server = await startPostgres();
  const { url: databaseUrl } = await createDatabase(server.url);
  const directory = makeDataDirectory('torture');
  const remove = async () => {
    rmSync(directory, { recursive: true, force: true });
    await server.stop();
  };
  return { engine: 'postgres', directory, databaseUrl, server, raw: eachTime(() => openRawPostgres(databaseUrl)), remove };
}

/** One connection for each read: none survives what is done to the database, and an open one would change what a fault does to a file. */
export function eachTime(open: () => Promise<RawDatabase>): () => Promise<RawDatabase> {
  const all: RawDatabase['all'] = async (sql, ...params) => {
    const database = await open();
    return database.all(sql, ...params).finally(database.close);
  };
  return async () => ({ all }) as RawDatabase;
}

/** A port that is free now. A service keeps it over its restarts, as its clients expect. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
