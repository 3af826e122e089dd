import { StoreFault } from '../store.ts';
import type { Migration } from './migration.ts';

/** Throws where the stored schema is newer than this release knows: writing to it could break what the newer release relies on. */
export function refuseNewer(version: number, steps: readonly Migration[]): void {
  const known = steps.at(-1)?.id ?? 0;
  if (version <= known) return;
  throw new StoreFault(
    `the database has schema version ${version}, and this release knows ${known}`,
    'Start the newer release that made it, or restore a backup from before the upgrade.',
  );
}
