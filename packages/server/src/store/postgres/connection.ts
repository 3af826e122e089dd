import pg from 'pg';
import { StoreFault } from '../store.ts';
import { fromStored } from './text.ts';

/** PostgreSQL's type numbers, see pg_type.dat. */
const bytea = 17;
const int8 = 20;
const text = 25;

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === int8) return Number;
    if (oid === text) return fromStored;
    // Always `\x` and hex, because the session sets bytea_output. Return plain bytes, as the other engine does.
    if (oid === bytea) return (value: string) => new Uint8Array(Buffer.from(value.slice(2), 'hex'));
    return pg.types.getTypeParser(oid, format as 'text');
  }) as typeof pg.types.getTypeParser,
};

export interface Timeouts {
  /** The server cancels a statement that runs longer. */
  readonly statementMs: number;
  /** A statement that waits longer for a lock is refused. */
  readonly lockMs: number;
  /** Waiting longer for a new or a free connection fails. */
  readonly connectMs: number;
}

/** The settings of every connection of this store. Throws a `StoreFault` for an invalid URL, without showing it. */
export function toConfig(url: string, timeouts: Timeouts): pg.ClientConfig {
  if (!isUrl(url)) {
    throw new StoreFault('the database URL cannot be read', 'Write it as postgres://user:password@host:port/database');
  }
  return {
    connectionString: url,
    application_name: 'countersign',
    client_encoding: 'UTF8',
    types,
    keepAlive: true,
    connectionTimeoutMillis: timeouts.connectMs,
    statement_timeout: timeouts.statementMs,
    lock_timeout: timeouts.lockMs,
    // A server process that stops between two statements must not keep an organization locked for the others.
    idle_in_transaction_session_timeout: timeouts.statementMs,
    // The database server's own timeouts come first. This one is for a server or network that has gone silent.
    query_timeout: timeouts.statementMs + 5_000,
  };
}

function isUrl(url: string): boolean {
  try {
    return ['postgres:', 'postgresql:'].includes(new URL(url).protocol);
  } catch {
    // SECURITY: the parser's error quotes its whole input, including the password, so drop it here.
    return false;
  }
}

/** The location of the database, safe to show: the URL without password and options. */
export function toLocation(url: string): string {
  const { protocol, username, host, pathname } = new URL(url);
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`;
}

/** Sets up a new session: settings that the rest of the adapter relies on, whatever the server's defaults. */
export async function prepareSession(client: pg.ClientBase): Promise<void> {
  // Without a listener, an error on a checked-out connection would end the process. The query in progress reports the error
  // anyway.
  client.on('error', () => undefined);
  await client.query(
    `SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED; SET bytea_output = 'hex'; SET standard_conforming_strings = on`,
  );
}

/**
 * A pool whose idle connections may die without harm. The pool drops them, and the next query makes a new one.
 * A connection that `check` rejects is closed, and whoever wanted it gets the error.
 */
export function createPool(config: pg.ClientConfig, size: number, check: (client: pg.ClientBase) => Promise<void>): pg.Pool {
  const onConnect = async (client: pg.ClientBase) => {
    await prepareSession(client);
    await check(client);
  };
  const pool = new pg.Pool({ ...config, max: size, idleTimeoutMillis: 60_000, onConnect });
  pool.on('error', () => undefined);
  return pool;
}
