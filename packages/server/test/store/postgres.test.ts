import { createMigratedDatabase } from '../../../../test/support/postgres-database.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { describeStore } from './suite/describe-store.ts';

describeStore('postgres', async () => {
  const database = await createMigratedDatabase();
  return {
    open: () => openPostgres({ url: database.url }),
    execute: async (sql) => void (await database.query(sql)),
    hex: (digits) => `'\\x${digits}'::bytea`,
    remove: () => database.drop(),
  };
});
