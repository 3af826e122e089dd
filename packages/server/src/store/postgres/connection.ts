import pg from 'pg';
import type { Targets } from './targets.ts';
import { fromStored } from './text.ts';

/** PostgreSQL's type OIDs, see pg_type.dat. */
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
  /** The server cancels a statement that waits longer for a lock. */
  readonly lockMs: number;
  /** Waiting longer for a new or a free connection fails. */
  readonly connectMs: number;
}

/** Settings of every connection of this store, except its target. */
export function toConfig(timeouts: Timeouts): pg.ClientConfig {
  return {
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
    query_timeout: timeouts.statementMs + 1_000,
  };
}

/** The same settings without timeouts, for long work such as an index on a large table. */
export function withoutTimeouts(config: pg.ClientConfig): pg.ClientConfig {
  return { ...config, statement_timeout: 0, lock_timeout: 0, query_timeout: 0 };
}

/** Sets up a new session with settings that the adapter relies on, overriding the server's defaults. */
export async function prepareSession(client: pg.ClientBase): Promise<void> {
  // Without a listener, an error on a checked-out connection would end the process. The query in progress reports the error anyway.
  client.on('error', () => undefined);
  await client.query(
    `SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED; SET bytea_output = 'hex'; SET standard_conforming_strings = on`,
  );
}

/**
 * A pool that tolerates the loss of idle connections: it drops them, and the next query opens a new one.
 * A connection that `check` rejects is closed, and the caller gets the error.
 */
export function createPool(
  { Client, moveOn }: Targets,
  config: pg.ClientConfig,
  size: number,
  check: (client: pg.ClientBase) => Promise<void>,
): pg.Pool {
  const onConnect = async (client: pg.ClientBase) => {
    try {
      await prepareSession(client);
      await check(client);
    } catch (error) {
      moveOn(client);
      throw error;
    }
  };
  const pool = new pg.Pool({ ...config, Client, max: size, idleTimeoutMillis: 60_000, onConnect });
  pool.on('error', () => undefined);
  return pool;
}
