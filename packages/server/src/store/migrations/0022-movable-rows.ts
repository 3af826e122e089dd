import type { Migration } from './migration.ts';

/**
 * Lets PostgreSQL write a row of `activities` to another place of its file. An UPDATE that changes no column passes; every other one is
 * checked by `guard_activity` as before. See decision 68.
 *
 * It assumes that `activities` has the trigger `activities_guard` for updates, and changes neither its function nor the table. A migration
 * that replaces the function or adds columns can run before or after it. It takes milliseconds, regardless of the number of rows.
 */
export const movableRows: Migration = {
  id: 22,
  name: 'movable-rows',
  common: () => [],
  sqlite: [],
  postgres: [
    'DROP TRIGGER activities_guard ON activities',
    `CREATE TRIGGER activities_guard BEFORE UPDATE ON activities FOR EACH ROW
      WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION guard_activity()`,
  ],
};
