import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { loadDriver } from '../../packages/server/src/store/sqlite/load-driver.ts';

/** Opens a SQLite file directly, as another program would. Waits for locks of the service. */
export function openSqliteFile(
  file: string,
  options: { readonly readOnly?: boolean; readonly timeout?: number } = {},
): DatabaseSyncInstance {
  const { DatabaseSync } = loadDriver();
  return new DatabaseSync(file, { timeout: 60_000, ...options });
}
