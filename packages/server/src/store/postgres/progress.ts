import type pg from 'pg';
import type { ActivityRow } from '../rows.ts';
import { DatabaseBehind } from '../store-faults.ts';
import { StandbyRefused } from './faults.ts';
import { toStored } from './text.ts';

/** Keeps a process from going on with a database that has less than the process has seen. */
export interface ProgressGuard {
  /** Notes how many entries the log was seen to have. */
  note(size: number): void;
  /** Notes a transaction that this process has committed, by an activity in it. */
  noteCommit(activity: Pick<ActivityRow, 'organizationId' | 'id' | 'revision'>): void;
  /**
   * Rejects unless the connection leads to a server that takes writes, to a log of at least that size, and on another server than before
   * to the last commits.
   */
  check(client: pg.ClientBase): Promise<void>;
}

/** An activity that is in an archive is not lost. */
const countKept = `SELECT count(*)::int AS kept FROM unnest($1::text[], $2::text[], $3::bigint[]) AS e (organization_id, id, revision)
  WHERE EXISTS (SELECT 1 FROM activities a WHERE a.organization_id = e.organization_id AND a.id = e.id AND a.revision >= e.revision)
    OR EXISTS (SELECT 1 FROM archived r WHERE r.organization_id = e.organization_id AND r.activity_id = e.id)`;

/**
 * INVARIANT: after a fail-over every connection is new, so every statement goes to a database that was checked. The number alone can be
 * forged by whoever writes the database; the proof that the log extends what was seen follows with the next look at it.
 *
 * The log gathers entries for a moment, so the last commits are looked for themselves. A standby has the commits of its primary up to one
 * of them. At most `poolSize` commits are under way at a time, so the last of all is among the last `poolSize` that were reported: if
 * these are there, nothing that this process has acknowledged is missing.
 */
export function createProgressGuard(poolSize: number): ProgressGuard {
  const recent: Pick<ActivityRow, 'organizationId' | 'id' | 'revision'>[] = [];
  let seenSize = 0;
  let server: string | undefined;

  async function requireRecent(client: pg.ClientBase): Promise<void> {
    // What is committed while the database answers is not part of the question.
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
      // Nothing seen yet: the store is being opened, maybe in an empty database, and is looked at as a whole.
      if (seenSize === 0 && recent.length === 0) return;
      const { rows } = await client.query(
        `SELECT pg_is_in_recovery() AS standby, (SELECT size FROM log_state WHERE name = 'log') AS size,
           pg_postmaster_start_time()::text AS server`,
      );
      const [found] = rows as [{ standby: boolean; size: number | null; server: string }];
      if (found.standby) throw new StandbyRefused();
      const size = found.size ?? 0;
      if (size < seenSize) throw new DatabaseBehind(`its log has ${size} entries, and this server saw ${seenSize}`);
      if (found.server === server) return;
      if (recent.length > 0) await requireRecent(client);
      server = found.server;
    },
  };
}
