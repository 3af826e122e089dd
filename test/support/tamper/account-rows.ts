import type { RawDatabase, StoredRow } from '../raw-database.ts';
import { insert } from './tamper-case.ts';

/** A row and its table. */
export interface KeptRow {
  readonly table: string;
  readonly row: StoredRow;
}

/** A copy of rows, to be put back later. */
export async function rowsOf(raw: RawDatabase, table: string, where: string, ...params: string[]): Promise<KeptRow[]> {
  return (await raw.all(`SELECT * FROM ${table} ${where}`, ...params)).map((row) => ({ table, row }));
}

/** The row of a wallet account, and its index entries. */
export async function accountRows(raw: RawDatabase, id: string): Promise<KeptRow[]> {
  return [...(await rowsOf(raw, 'resources', 'WHERE id = ?', id)), ...(await rowsOf(raw, 'lookups', 'WHERE id = ?', id))];
}

/** Puts rows back as they were. */
export async function putBack(raw: RawDatabase, kept: readonly KeptRow[]): Promise<void> {
  for (const { table, row } of kept) await insert(raw, table, row);
}
