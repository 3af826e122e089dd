import { existsSync } from 'node:fs';
import { paths } from '../../config/paths.ts';
import type { Config } from '../../config/settings.ts';
import type { Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-errors.ts';
import { INTEGRITY_KEY_SETTING } from '../../vault/integrity/integrity-key.ts';

/**
 * Throws StoreError if the database is empty but the data directory has been used before: it must not become a new installation. A SQLite
 * file that was copied without its write-ahead log looks empty, because the log may contain everything.
 */
export async function refuseEmptied(config: Config, store: Pick<Store, 'vault'>): Promise<void> {
  if (!existsSync(paths.epochFile(config)) || (await store.vault.setting(INTEGRITY_KEY_SETTING)) !== undefined) return;
  throw databaseEmptied();
}

/** For an empty database in a data directory that has served one. */
export function databaseEmptied(): StoreError {
  return new StoreError(
    'The database is empty, but this data directory has served one: it was lost, or copied without its write-ahead log.',
    `Restore the database with all its files, or restore a backup. For a new installation, use another --data-dir.`,
  );
}
