import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { LockMode, Release } from '../store.ts';
import { StoreError } from '../store-errors.ts';
import { advisory } from './advisory.ts';
import { toRunError } from './errors.ts';

const longestPauseMs = 5_000;

/**
 * Acquires an advisory lock on a dedicated connection. The server releases the lock when the connection ends for any reason.
 * A shared lock whose connection breaks is reacquired in the background until its release. An exclusive lock is not: another process may
 * have acquired the lock in between, and the release reports that.
 */
export async function lockInstallation(newClient: () => pg.Client, mode: LockMode): Promise<Release> {
  return holdLock(newClient, { key: advisory.installation, values: [], mode });
}

/** Acquires another lock in the same way. Undefined if another holder conflicts. */
export async function tryNamedLock(newClient: () => pg.Client, name: string, mode: LockMode): Promise<Release | undefined> {
  return holdLock(newClient, { key: advisory.lock('$1'), values: [name], mode }).catch((error: unknown) => {
    if (error instanceof Conflict) return undefined;
    throw error;
  });
}

interface Wanted {
  readonly key: string;
  readonly values: readonly string[];
  readonly mode: LockMode;
}

async function holdLock(newClient: () => pg.Client, { key, values, mode }: Wanted): Promise<Release> {
  const ended = new AbortController();
  let lost = false;
  let client = await lock();

  async function lock(): Promise<pg.Client> {
    const connection = newClient();
    connection.on('error', () => undefined); // 'end' follows and is handled below
    try {
      await connection.connect();
      const suffix = mode === 'shared' ? '_shared' : '';
      const { rows } = await connection.query(`SELECT pg_try_advisory_lock${suffix}(${key}) AS locked`, [...values]);
      if (rows[0].locked !== true) throw conflict(mode);
    } catch (error) {
      await connection.end().catch(() => undefined); // it may never have been open
      throw error instanceof StoreError ? error : toRunError(error, false);
    }
    connection.once('end', () => {
      lost = true;
      if (mode === 'shared' && !ended.signal.aborted) void reacquire();
    });
    return connection;
  }

  async function reacquire(): Promise<void> {
    for (let pauseMs = 100; !ended.signal.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        client = await lock();
        lost = false;
        if (ended.signal.aborted) await client.end();
        return;
      } catch {
        // Still unreachable, or maintenance is in progress. Both are temporary.
        await sleep(pauseMs, undefined, { signal: ended.signal, ref: false }).catch(() => undefined);
      }
    }
  }

  return async () => {
    if (ended.signal.aborted) return;
    ended.abort();
    const lostBefore = lost;
    await client.end();
    if (mode === 'exclusive' && lostBefore) {
      throw new StoreError(
        'the connection that holds the installation lock was lost during maintenance',
        'Run the command again: it continues where it stopped.',
      );
    }
  };
}

class Conflict extends StoreError {}

function conflict(mode: LockMode): StoreError {
  return mode === 'exclusive'
    ? new Conflict('a server is using this database', 'Stop every server on this database, then try again.')
    : new Conflict('maintenance is in progress on this database', 'Wait until it has finished, then start again.');
}
