import { EmptyDatabaseError, StoreError } from '../store-errors.ts';
import type { Migration } from './migration.ts';

/** Throws if the stored schema is newer than this release supports: a write could break what the newer release relies on. */
export function refuseNewer(version: number, steps: readonly Migration[]): void {
  const known = steps.at(-1)?.id ?? 0;
  if (version <= known) return;
  throw new StoreError(
    `the database has schema version ${version}, but this release knows only up to ${known}`,
    'Start the newer release that made it, or restore a backup from before the upgrade.',
  );
}

/** Throws unless the stored schema is the one of this release. For commands that must not migrate. */
export function requireCurrent(version: number, steps: readonly Migration[]): void {
  refuseNewer(version, steps);
  const known = steps.at(-1)?.id ?? 0;
  if (version === known) return;
  if (version === 0) throw new EmptyDatabaseError();
  throw new StoreError(
    `the database has schema version ${version}, and this release needs ${known}: no service of this release has started on it`,
    'Use the release that made it, for instance for a backup before the upgrade. To upgrade the database, start the service of this release.',
  );
}
