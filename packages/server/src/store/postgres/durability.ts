import type pg from 'pg';
import { StoreError } from '../store-errors.ts';
import { behindPooler } from './errors.ts';

const oldest = 130_000;

/** Settings that must be on. Otherwise a crash can lose an acknowledged commit, or the whole database. */
const needed = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;

export interface ServerFacts {
  readonly version: string;
  readonly durable: boolean;
  readonly asynchronousStandbys: number;
  readonly facts: Readonly<Record<string, string>>;
}

/** Reads the server's version, role and durability settings. */
export async function readServer(
  client: Pick<pg.ClientBase, 'query'>,
): Promise<ServerFacts & { readonly versionNumber: number; readonly standby: boolean; readonly pid: number }> {
  const { rows } = await client.query(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num') AS version_number,
       current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS standby, pg_backend_pid() AS pid,
       (SELECT count(*)::int FROM pg_stat_replication WHERE application_name <> 'pg_basebackup') AS followers,
       current_setting('synchronous_standby_names') AS awaited,
       ${needed.map((name) => `current_setting('${name}') AS ${name}`).join(', ')}`,
  );
  const row = rows[0];
  const settings = Object.fromEntries(needed.map((name) => [name, String(row[name])]));
  return {
    version: row.version,
    versionNumber: Number(row.version_number),
    standby: row.standby,
    pid: row.pid,
    durable: needed.every((name) => settings[name] !== 'off'),
    // With synchronous_commit = local, commits wait for no standby, even if one is named.
    asynchronousStandbys: row.awaited === '' || row.synchronous_commit === 'local' ? row.followers : 0,
    facts: { encoding: row.encoding, ...settings },
  };
}

/** Throws a `StoreError` if the server cannot meet the guarantees of this store. */
export async function refuseUnfit(client: Pick<pg.ClientBase, 'query'>, location: string, allowUnsafe: boolean): Promise<void> {
  const server = await readServer(client);
  if (server.versionNumber < oldest) {
    throw new StoreError(`${location} runs PostgreSQL ${server.version}, which is too old`, 'Upgrade to PostgreSQL 13 or newer.');
  }
  if (server.standby) {
    throw new StoreError(`${location} is a read-only standby`, 'Connect to the primary server.');
  }
  if (isPooled(client, server.pid)) throw behindPooler(location);
  if (server.facts.encoding !== 'UTF8') {
    throw new StoreError(`the database of ${location} has encoding ${server.facts.encoding}`, 'Create it with ENCODING utf8.');
  }
  const off = needed.find((name) => server.facts[name] === 'off');
  if (off === undefined || allowUnsafe) return;
  throw new StoreError(
    `${location} has ${off} switched off, so a crash could lose the record of signatures already returned`,
    `Set ${off} = on in postgresql.conf (and for this role and database), or allow unsafe durability for a throw-away installation.`,
  );
}

/**
 * Whether a pooler such as PgBouncer answers for the server: it tells clients another process id than that of the session.
 * SECURITY: D612: in its transaction mode, the lock of an installation stays with a session that others use. Maintenance would run
 * beside a server.
 */
function isPooled(client: object, pid: number): boolean {
  // The driver keeps the id that it was told at the start of the connection. Its types leave it out.
  const { processID } = client as { readonly processID?: number | null };
  return typeof processID === 'number' && processID !== pid;
}
