import type { Client } from '@countersign/client';
import { ask } from '../../data/service-query.ts';
import { saveFile } from '../../ui/save-file.ts';
import { columns, rowsOf, toLine } from './csv.ts';
import type { SearchInput } from './filter.ts';

/** Rows of one file. A longer history is exported in parts, by date. */
export const MAX_EXPORTED = 20_000;

/** Fetches everything that matches and saves it as CSV, one row for each effect. Returns the number of activities. */
export async function exportActivities(reader: Client, input: SearchInput, tell: (count: number) => void): Promise<number> {
  const rows: string[] = [toLine(columns)];
  let count = 0;
  for (let cursor: string | undefined; count < MAX_EXPORTED; ) {
    const page = await ask(reader, 'searchActivities', { ...input, limit: 100, ...(cursor !== undefined && { cursor }) });
    for (const activity of page.activities) rows.push(...rowsOf(activity));
    count += page.activities.length;
    tell(count);
    if (page.next === undefined) break;
    cursor = page.next;
  }
  // The mark at the start lets spreadsheets recognize UTF-8.
  saveFile(`activities-${new Date().toISOString().slice(0, 10)}.csv`, 'text/csv', `\u{feff}${rows.join('\r\n')}\r\n`);
  return count;
}
