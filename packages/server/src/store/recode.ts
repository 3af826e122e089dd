import type { Read, Value } from './statement.ts';
import type { Store } from './store.ts';
import { nameList, type TableShape } from './table.ts';

/** Statement that replaces one text of a row, if it is stored as given. Parameters: new text, key, old text. */
export function recodeInto({ name, key }: TableShape, column: string): string {
  return `UPDATE ${name} SET ${column} = ? WHERE ${key.map((each) => `${each.name} = ?`).join(' AND ')} AND ${column} = ?`;
}

/** Reads rows for a migration of their contents, shared by both engines. */
export function createRecodeReaders(read: Read): Pick<Store['recode'], 'rowsAfter'> {
  return {
    async rowsAfter(table, after, limit) {
      const key = nameList(table.key);
      const above = after === undefined ? '' : `WHERE (${key}) > (${table.key.map(() => '?').join(', ')})`;
      const sql = `SELECT ${nameList(table.columns)} FROM ${table.name} ${above} ORDER BY ${key} LIMIT ?`;
      const rows = await read({ sql }, [...(after ?? []), limit]);
      return rows.map((row) => table.columns.map(({ name }) => row[name] as Value));
    },
  };
}
