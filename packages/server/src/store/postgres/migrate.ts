import type pg from 'pg';
import { missingStep, refuseNewer, versionOf } from '../migrations/check-schema.ts';
import { type Migration, postgresTypes } from '../migrations/migration.ts';
import { advisory } from './advisory.ts';
import { prepareSession } from './connection.ts';

/**
 * Migrates the schema. Each step is one transaction that also records the step. A crash leaves only complete steps, and the next process
 * continues. Nodes that start concurrently run one step at a time, so the client waits without a timeout. Returns the schema version.
 */
export async function migrate(client: pg.Client, steps: readonly Migration[]): Promise<number> {
  await client.connect();
  try {
    await prepareSession(client);
    await noticeOurEnd(client);
    for (;;) {
      const applied = await takeStep(client, steps);
      if (missingStep(applied, steps) === undefined) return versionOf(applied);
    }
  } finally {
    await client.end();
  }
}

/** Makes the server detect within a second that this process died, and abort its unfinished step. */
async function noticeOurEnd(client: pg.Client): Promise<void> {
  await client.query("SET client_connection_check_interval = '1s'").catch(() => undefined); // PostgreSQL 13 and some platforms lack it
}

/** Applies the first missing step, if any, and returns the applied ones. */
async function takeStep(client: pg.Client, steps: readonly Migration[]): Promise<readonly number[]> {
  await client.query('BEGIN');
  try {
    // The lock ends with the transaction, even if this process dies.
    await client.query(`SELECT pg_advisory_xact_lock(${advisory.migration})`);
    const applied = await appliedSteps(client);
    refuseNewer(applied, steps);
    const next = missingStep(applied, steps);
    if (next !== undefined) await apply(client, next);
    await client.query('COMMIT');
    return next === undefined ? applied : [...applied, next.id];
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined); // the first error is the one to report
    throw error;
  }
}

async function apply(client: pg.Client, step: Migration): Promise<void> {
  for (const sql of [...step.common(postgresTypes), ...step.postgres]) await client.query(sql);
  await client.query(
    'CREATE TABLE IF NOT EXISTS schema_migrations (id bigint PRIMARY KEY, name text NOT NULL, applied_at_ms bigint NOT NULL)',
  );
  await client.query('INSERT INTO schema_migrations (id, name, applied_at_ms) VALUES ($1, $2, $3)', [
    step.id,
    step.name,
    Date.now(),
  ]);
}

/** The ids of the applied steps. None for an empty database. */
export async function appliedSteps(client: Pick<pg.ClientBase, 'query'>): Promise<readonly number[]> {
  const known = await client.query("SELECT to_regclass('schema_migrations') IS NOT NULL AS known");
  if (known.rows[0].known !== true) return [];
  const { rows } = await client.query('SELECT id FROM schema_migrations');
  return rows.map(({ id }) => Number(id));
}
