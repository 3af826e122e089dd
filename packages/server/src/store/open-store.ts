import { makeDataDirectory, paths } from '../config/paths.ts';
import type { Config } from '../config/settings.ts';
import { openSqlite } from './sqlite/open.ts';
import type { Store } from './store.ts';

/** How long a request waits for others that change the same organization, or the same SQLite file. */
export function lockTimeoutMs({ databaseTimeoutSeconds }: Pick<Config, 'databaseTimeoutSeconds'>): number {
  return 2 * databaseTimeoutSeconds * 1000;
}

/**
 * Opens the configured database. Creates and migrates it if needed, unless `migrate` is false: then its schema must be current. Throws
 * StoreError with a fix if it cannot be used.
 */
export async function openStore(config: Config, { acceptLostWal = false, migrate = true } = {}): Promise<Store> {
  if (config.databaseUrl !== undefined) {
    const { databaseUrl: url, databasePool: poolSize, allowUnsafeDatabase: allowUnsafe } = config;
    // Imported lazily: loading the driver takes a tenth of the startup time of a server that does not use it.
    const { openPostgres } = await import('./postgres/open.ts');
    return openPostgres({ url, poolSize, allowUnsafe, migrate, statementTimeoutMs: config.databaseTimeoutSeconds * 1000 });
  }
  if (migrate) makeDataDirectory(config);
  return openSqlite({ file: paths.database(config), acceptLostWal, migrate, busyTimeoutMs: lockTimeoutMs(config) });
}
