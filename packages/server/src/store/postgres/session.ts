import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Row, Value } from '../statement.ts';
import { isCollision, isLost, isStandby, toRunError } from './errors.ts';

/** A parameter of this engine: a value, or a list of values for `unnest`. */
export type Parameter = Value | readonly (Value | null)[];

/** Runs one prepared statement. */
export type Execute = (name: string, sql: string, params: readonly Parameter[]) => Promise<readonly Row[]>;

/** Runs the statements of one unit of work, and tracks when its outcome can become unknown. */
export interface Session {
  readonly execute: Execute;
  /** Call before the statement that makes the work durable. From then on a lost connection leaves the outcome unknown. */
  committing(): void;
}

const attempts = 6;

/** No retry starts after this time, so that the caller gets an answer before it gives up. */
const retryForMs = 2_000;

/**
 * Runs work on one connection. Retries a limited number of times, with growing random pauses, after a conflict with another transaction,
 * on a standby, or if the connection is lost before `committing`.
 * Throws `StoreUnavailable` if the retries fail.
 */
export async function withSession<T>(pool: pg.Pool, work: (session: Session) => Promise<T>): Promise<T> {
  const started = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    let committing = false;
    try {
      return await onConnection(pool, (execute) =>
        work({
          execute,
          committing() {
            committing = true;
          },
        }),
      );
    } catch (error) {
      const lost = isLost(error);
      // A standby commits nothing, so a retry is safe.
      const again = isCollision(error) || (lost && !committing) || isStandby(error);
      if (!again || attempt === attempts || performance.now() - started > retryForMs) throw toRunError(error, committing && lost);
      await sleep(Math.random() * 10 * 2 ** attempt);
    }
  }
}

/** Begins, runs and commits a transaction on a session. */
export async function transaction<T>(session: Session, work: (execute: Execute) => Promise<T>): Promise<T> {
  const { execute } = session;
  await execute('', 'BEGIN', []);
  const result = await work(execute);
  session.committing();
  await execute('', 'COMMIT', []);
  return result;
}

async function onConnection<T>(pool: pg.Pool, work: (execute: Execute) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | boolean = true;
  try {
    const result = await work(async (name, sql, params) => {
      const query = params.length === 0 ? { text: sql } : { name, text: sql, values: params as unknown[] };
      return (await client.query<Row>(query)).rows;
    });
    broken = false;
    return result;
  } catch (error) {
    broken = isLost(error) || isStandby(error) || !(await rolledBack(client));
    throw error;
  } finally {
    client.release(broken);
  }
}

async function rolledBack(client: pg.PoolClient): Promise<boolean> {
  try {
    if (client.getTransactionStatus() !== 'I') await client.query('ROLLBACK');
    return true;
  } catch {
    // The connection is no longer usable. Closing it also rolls back.
    return false;
  }
}
