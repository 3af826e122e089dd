import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { HoldMode, Release } from '../store.ts';
import { StoreFault } from '../store-faults.ts';
import { advisory } from './advisory.ts';
import { toRunFault } from './faults.ts';

const longestPauseMs = 5_000;

/**
 * Takes an advisory lock on its own connection. The server drops the lock with the connection, however that ends.
 * A shared hold whose connection breaks is taken again in the background until its release. An exclusive hold is not:
 * somebody may have come in between, and its release reports that.
 */
export async function hold(newClient: () => pg.Client, mode: HoldMode): Promise<Release> {
  const ended = new AbortController();
  let lost = false;
  let client = await lock();

  async function lock(): Promise<pg.Client> {
    const connection = newClient();
    connection.on('error', () => undefined); // 'end' follows, and is what counts
    try {
      await connection.connect();
      const suffix = mode === 'shared' ? '_shared' : '';
      const { rows } = await connection.query(`SELECT pg_try_advisory_lock${suffix}(${advisory.installation}) AS locked`);
      if (rows[0].locked !== true) throw refusal(mode);
    } catch (error) {
      await connection.end().catch(() => undefined); // it may never have been open
      throw error instanceof StoreFault ? error : toRunFault(error, false);
    }
    connection.once('end', () => {
      lost = true;
      if (mode === 'shared' && !ended.signal.aborted) void retake();
    });
    return connection;
  }

  async function retake(): Promise<void> {
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
      throw new StoreFault(
        'the connection that kept the servers out was lost during maintenance',
        'Run the command again: it continues where it stopped.',
      );
    }
  };
}

function refusal(mode: HoldMode): StoreFault {
  return mode === 'exclusive'
    ? new StoreFault('a server is using this database', 'Stop every server on this database, then try again.')
    : new StoreFault('maintenance is in progress on this database', 'Wait until it has finished, then start again.');
}
