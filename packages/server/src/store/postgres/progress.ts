import type pg from 'pg';
import type { ActivityRow } from '../rows.ts';
import { DatabaseBehind } from '../store-errors.ts';
import { StandbyRefused } from './errors.ts';
import { toStored } from './text.ts';

/** Prevents a process from continuing on a database that lacks commits the process has seen. */
export interface ProgressGuard {
  /** Records the log size that was seen. */
  note(size: number): void;
  /** Records a transaction that this process committed, identified by one of its activities. */
  noteCommit(activity: Pick<ActivityRow, 'organizationId' | 'id' | 'revision'>): void;
  /**
   * Rejects unless the server accepts writes and its log has at least the recorded size. On another server than before, the last commits
   * must exist too.
   */
  check(client: pg.ClientBase): Promise<void>;
}

/** An archived activity is not lost. */
const countKept = `SELECT count(*)::int AS kept FROM unnest($1::text[], $2::text[], $3::bigint[]) AS e (organization_id, id, revision)
  WHERE EXISTS (SELECT 1 FROM activities a WHERE a.organization_id = e.organization_id AND a.id = e.id AND a.revision >= e.revision)
    OR EXISTS (SELECT 1 FROM archived r WHERE r.organization_id = e.organization_id AND r.activity_id = e.id)`;

/**
 * INVARIANT: after a failover every connection is new, so every statement runs on a database that was checked. An attacker who can write
 * the database can forge the size alone; the next check of the log proves that it extends the log that was seen.
 *
 * The log batches entries, so its size lags behind commits, and the last commits are checked themselves. A standby has all commits of its
 * primary up to one of them. At most `poolSize` commits run concurrently, so the last of all is among the last `poolSize` that were
 * reported: if these exist, no commit that this process acknowledged is missing.
 */
export function createProgressGuard(poolSize: number): ProgressGuard {
  const recent: Pick<ActivityRow, 'organizationId' | 'id' | 'revision'>[] = [];
  let seenSize = 0;
  let server: string | undefined;

  async function requireRecent(client: pg.ClientBase): Promise<void> {
    // Copy the list: commits during the query are not part of the check.
    const asked = [...recent];
    const params = [
      asked.map(({ organizationId }) => toStored(organizationId)),
      asked.map(({ id }) => toStored(id)),
      asked.map(({ revision }) => revision),
    ];
    const { rows } = await client.query(countKept, params);
    const missing = asked.length - Number(rows[0].kept);
    if (missing > 0)
      throw new DatabaseBehind(`${missing} of the last ${asked.length} commits that this server made are not in it`);
  }

  return {
    note(size) {
      seenSize = Math.max(seenSize, size);
    },
    noteCommit({ organizationId, id, revision }) {
      recent.push({ organizationId, id, revision });
      if (recent.length > poolSize) recent.shift();
    },
    async check(client) {
      // Nothing recorded yet: the store is being opened, possibly on an empty database, and is checked as a whole.
      if (seenSize === 0 && recent.length === 0) return;
      // What is recorded during the query may be newer than what it reads.
      const expected = seenSize;
      const { rows } = await client.query(
        `SELECT pg_is_in_recovery() AS standby, (SELECT size FROM log_state WHERE name = 'log') AS size,
           pg_postmaster_start_time()::text AS server`,
      );
      const [found] = rows as [{ standby: boolean; size: number | null; server: string }];
      if (found.standby) throw new StandbyRefused();
      const size = found.size ?? 0;
      if (size < expected) throw new DatabaseBehind(`its log has ${size} entries, and this server saw ${expected}`);
      if (found.server === server) return;
      if (recent.length > 0) await requireRecent(client);
      server = found.server;
    },
  };
}
