import { EmptyDatabaseError, StoreError } from '../store-errors.ts';
import type { Migration } from './migration.ts';

/** The schema version of a database with these steps. 0 if it is empty. */
export function versionOf(applied: readonly number[]): number {
  return Math.max(0, ...applied);
}

/** The first step that a database lacks. A step may have a lower number than one that was applied before it was made. */
export function missingStep(applied: readonly number[], steps: readonly Migration[]): Migration | undefined {
  return steps.find(({ id }) => !applied.includes(id));
}

/** Throws if the stored schema is newer than this release supports: a write could break what the newer release relies on. */
export function refuseNewer(applied: readonly number[], steps: readonly Migration[]): void {
  const version = versionOf(applied);
  const known = steps.at(-1)?.id ?? 0;
  if (version <= known) return;
  throw new StoreError(
    `the database has schema version ${version}, but this release knows only up to ${known}`,
    'Start the newer release that made it, or restore a backup from before the upgrade.',
  );
}

/** Throws unless the stored schema is the one of this release. For commands that must not migrate. */
export function requireCurrent(applied: readonly number[], steps: readonly Migration[]): void {
  refuseNewer(applied, steps);
  const missing = missingStep(applied, steps);
  if (missing === undefined) return;
  if (applied.length === 0) throw new EmptyDatabaseError();
  // Numbers may be left out, and a step after the missing one may be applied.
  const version = versionOf(applied.filter((id) => id < missing.id));
  throw new StoreError(
    `the database has schema version ${version}, and this release needs ${steps.at(-1)?.id}: no service of this release has started on it`,
    'Use the release that made it, for instance for a backup before the upgrade. To upgrade the database, start the service of this release.',
  );
}
