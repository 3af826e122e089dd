import type pg from 'pg';
import { advisory } from './advisory.ts';
import { toRunError } from './errors.ts';

/** Maximum number of organizations that a process can wait for concurrently. Each wait uses a connection. */
const MAX_CONNECTIONS = 4;
/** How long PostgreSQL leaves the lock to a process that hangs. Longer than work takes, and shorter than others wait. */
export const MAX_HELD_MS = 2_000;

/** Fair locks of several nodes on changes to one organization. */
export interface NamedLocks {
  /** Waits for the lock, which nodes get in the order of their requests, and runs the work. */
  run<T>(organizationId: string, work: () => Promise<T>): Promise<T>;
  /** Whether this process has the lock of an organization. */
  has(organizationId: string): boolean;
  close(): Promise<void>;
}

/**
 * An advisory lock on a dedicated connection: PostgreSQL grants it in the order of requests. It releases it with the connection, and
 * ends a transaction that is idle for too long, so a process that died or hangs delays others for a short time. While a process has or awaits the lock of an organization, changes by other processes are rejected as outdated, see
 * `commit.ts`. So a node that lost a change to another node completes it before that node changes the organization again.
 * The locks only provide fairness. Correctness depends on the versions of organizations alone, so work runs without one if all connections
 * are in use.
 */
export function createNamedLocks(newClient: () => pg.Client): NamedLocks {
  const idle: pg.Client[] = [];
  const held = new Map<string, number>();
  let connections = 0;
  let closed = false;

  async function connect(): Promise<pg.Client | undefined> {
    const free = idle.pop();
    if (free !== undefined) return free;
    if (closed || connections >= MAX_CONNECTIONS) return undefined;
    connections++;
    const client = newClient();
    // The query in progress reports the error. A connection that breaks while it is idle is not used again.
    client.on('error', () => undefined);
    client.once('end', () => {
      connections--;
      const at = idle.indexOf(client);
      if (at >= 0) idle.splice(at, 1);
    });
    try {
      await client.connect();
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    return client;
  }

  async function release(client: pg.Client): Promise<void> {
    try {
      await client.query('COMMIT');
      if (closed) await client.end();
      else idle.push(client);
    } catch {
      // The server drops the lock with the connection.
      await client.end().catch(() => undefined);
    }
  }

  return {
    async run(organizationId, work) {
      let client: pg.Client | undefined;
      try {
        client = await connect();
        await client?.query('BEGIN');
        await client?.query({
          name: 'acquire_named_lock',
          text: `SELECT pg_advisory_xact_lock(${advisory.named('$1')})`,
          values: [organizationId],
        });
      } catch (error) {
        await client?.end().catch(() => undefined);
        throw toRunError(error, false);
      }
      if (client === undefined) return work();
      held.set(organizationId, (held.get(organizationId) ?? 0) + 1);
      try {
        return await work();
      } finally {
        const count = (held.get(organizationId) ?? 1) - 1;
        if (count === 0) held.delete(organizationId);
        else held.set(organizationId, count);
        await release(client);
      }
    },
    has: (organizationId) => held.has(organizationId),
    async close() {
      closed = true;
      await Promise.allSettled(idle.splice(0).map((client) => client.end()));
    },
  };
}
