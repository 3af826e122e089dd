import { copiedTables } from './copied-tables.ts';
import type { Read } from './statement.ts';
import type { Store } from './store.ts';
import { toInteger } from './table.ts';

/** Rows per batch of a read or write. */
export const COPIED_AT_ONCE = 500;

/** Row counts for backup and restore, shared by both engines. */
export function createCopyReaders(read: Read): Pick<Store['copy'], 'count' | 'isEmpty'> {
  return {
    async count() {
      const parts = copiedTables.map(({ name }) => `(SELECT count(*) FROM ${name})`);
      const [row] = await read({ sql: `SELECT ${parts.join(' + ')} AS count` }, []);
      return row === undefined ? 0 : toInteger(row, 'count');
    },
    async isEmpty(except) {
      const others = copiedTables.filter(({ name }) => name !== 'settings').map(({ name }) => `SELECT 1 AS found FROM ${name}`);
      const settings = `SELECT 1 AS found FROM settings WHERE ${['1 = 1', ...except.map(() => 'name <> ?')].join(' AND ')}`;
      for (const sql of [...others, settings]) {
        const rows = await read({ sql: `${sql} LIMIT 1` }, sql === settings ? except : []);
        if (rows.length > 0) return false;
      }
      return true;
    },
  };
}
