import type pg from 'pg';
import { DatabaseBehind } from '../store-faults.ts';
import { StandbyRefused } from './faults.ts';

/** Keeps a process from going on with a database that has less than the process has seen. */
export interface ProgressGuard {
  /** Notes how many entries the log was seen to have. */
  note(size: number): void;
  /** Rejects unless the connection leads to a server that takes writes, and to a log of at least that size. */
  check(client: pg.ClientBase): Promise<void>;
}

/**
 * INVARIANT: after a fail-over every connection is new, so every statement goes to a database that was checked. The number alone can be
 * forged by whoever writes the database; the proof that the log extends what was seen follows with the next look at it.
 */
export function createProgressGuard(): ProgressGuard {
  let seenSize = 0;
  return {
    note(size) {
      seenSize = Math.max(seenSize, size);
    },
    async check(client) {
      // Nothing seen yet: the store is being opened, maybe in an empty database, and is looked at as a whole.
      if (seenSize === 0) return;
      const { rows } = await client.query(
        "SELECT pg_is_in_recovery() AS standby, (SELECT size FROM log_state WHERE name = 'log') AS size",
      );
      const [{ standby, size }] = rows as [{ standby: boolean; size: number | null }];
      if (standby) throw new StandbyRefused();
      if ((size ?? 0) < seenSize) throw new DatabaseBehind(size ?? 0, seenSize);
    },
  };
}
