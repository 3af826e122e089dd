import { StoreError } from '../store-errors.ts';
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
