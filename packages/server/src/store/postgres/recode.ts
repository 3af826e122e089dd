import type pg from 'pg';
import { recodeInto } from '../recode.ts';
import { type Value, withNumberedParameters } from '../statement.ts';
import type { Store } from '../store.ts';
import { transaction, withSession } from './session.ts';
import { toStored } from './text.ts';

/** Writes of a migration of contents. */
export function createRecodeWriters(pool: pg.Pool, newClient: () => pg.Client): Pick<Store['recode'], 'replace' | 'scrub'> {
  return {
    replace: (table, column, texts) =>
      withSession(pool, (session) =>
        transaction(session, async (execute) => {
          const sql = withNumberedParameters(recodeInto(table, column));
          const stored = (value: Value) => (typeof value === 'string' ? toStored(value) : value);
          for (const { key, from, to } of texts) await execute('', sql, [to, ...key, from].map(stored));
        }),
      ),
    /** A dump never contains earlier versions of rows. VACUUM lets new rows overwrite them in the files. */
    async scrub() {
      const client = newClient();
      try {
        await client.connect();
        await client.query('VACUUM records, activities, events, lookups');
        return true;
      } finally {
        await client.end().catch(() => undefined);
      }
    },
  };
}
