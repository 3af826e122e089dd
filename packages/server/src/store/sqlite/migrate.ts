import { missingStep, refuseNewer, versionOf } from '../migrations/check-schema.ts';
import { type Migration, sqliteTypes } from '../migrations/migration.ts';
import { applicationId } from './connection.ts';
import type { Database } from './driver.ts';
import { whenFree } from './transaction.ts';

/**
 * Migrates the schema. Each step is one transaction that also records the step. A crash leaves only complete steps, and the next process
 * continues. Concurrent processes run one step at a time. Returns the schema version.
 */
export async function migrate(db: Database, steps: readonly Migration[], waitMs: number): Promise<number> {
  for (;;) {
    const applied = await whenFree(db, waitMs, () => takeStep(db, steps));
    if (missingStep(applied, steps) === undefined) return versionOf(applied);
  }
}

/** Applies the first missing step, if any, and returns the applied ones. Always takes the write lock, which proves that the file is writable. */
function takeStep(db: Database, steps: readonly Migration[]): readonly number[] {
  db.exec('BEGIN EXCLUSIVE');
  try {
    const applied = appliedSteps(db);
    refuseNewer(applied, steps);
    const next = missingStep(applied, steps);
    if (next !== undefined) apply(db, next);
    db.exec('COMMIT');
    return next === undefined ? applied : [...applied, next.id];
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
  }
}

function apply(db: Database, step: Migration): void {
  for (const sql of [...step.common(sqliteTypes), ...step.sqlite]) db.exec(sql);
  db.exec(
    'CREATE TABLE IF NOT EXISTS schema_migrations (id INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at_ms INTEGER NOT NULL) STRICT',
  );
  db.prepare('INSERT INTO schema_migrations (id, name, applied_at_ms) VALUES (?, ?, ?)').run(step.id, step.name, Date.now());
  db.pragma(`application_id = ${applicationId}`);
}

/** The ids of the applied steps. None for an empty file. */
export function appliedSteps(db: Database): readonly number[] {
  const known = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations'").row();
  if (known === undefined) return [];
  return db
    .prepare('SELECT id FROM schema_migrations')
    .rows()
    .map(([id]) => Number(id));
}
