import { existsSync } from 'node:fs';
import { paths, requireFile } from '../config/paths.ts';
import type { Config } from '../config/settings.ts';
import { databaseEmptied } from '../installation/epoch/refuse-emptied.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { EmptyDatabaseError } from '../store/store-errors.ts';

/** Throws ConfigError if the database file is missing. Creates nothing. */
export function requireDatabase(config: Config): void {
  if (config.databaseUrl === undefined) requireFile(paths.database(config), 'The database');
}

/**
 * Opens an existing database without migrating it, for commands that inspect or copy an installation. Throws StoreError if it is empty
 * or has the schema of another release.
 * INVARIANT: nothing is written, so that a command that only looks leaves every repair possible.
 */
export async function openStoreAsIs(config: Config): Promise<Store> {
  requireDatabase(config);
  try {
    return await openStore(config, { migrate: false });
  } catch (error) {
    if (error instanceof EmptyDatabaseError && existsSync(paths.epochFile(config))) throw databaseEmptied();
    throw error;
  }
}
