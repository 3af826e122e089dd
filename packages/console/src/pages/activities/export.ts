import type { Client } from '@countersign/client';
import { ask } from '../../data/ask.ts';
import { saveFile } from '../../ui/save-file.ts';
import { columns, rowsOf, toLine } from './csv.ts';
import type { SearchInput } from './filter.ts';

/** Activities in one file. A longer history is exported in several files. */
const MAX_EXPORTED = 20_000;

/** One file of an export. */
export interface Part {
  /** 1 for the first file. */
  readonly number: number;
  /** Activities in this file. */
  readonly count: number;
  /** Where the next file begins. Undefined if this file is the last one. */
  readonly next: string | undefined;
}

/** Saves what matches as CSV. Continues after `last`, if given. */
export async function exportActivities(
  reader: Client,
  input: SearchInput,
  tell: (count: number) => void,
  last?: Part,
): Promise<Part> {
  const { rows, ...part } = await readPart(reader, input, tell, last);
  const suffix = part.number === 1 && part.next === undefined ? '' : `-part-${part.number}`;
  const name = `activities-${new Date().toISOString().slice(0, 10)}${suffix}.csv`;
  // The mark at the start lets spreadsheets recognize UTF-8.
  saveFile(name, 'text/csv', `\u{feff}${rows.join('\r\n')}\r\n`);
  return part;
}

/** Reads the lines of one file: the names of the columns, and one line for each effect. */
export async function readPart(
  reader: Client,
  input: SearchInput,
  tell: (count: number) => void,
  last?: Part,
  most = MAX_EXPORTED,
): Promise<Part & { readonly rows: readonly string[] }> {
  const rows: string[] = [toLine(columns)];
  let count = 0;
  let cursor = last?.next;
  do {
    const limit = Math.min(100, most - count);
    const page = await ask(reader, 'searchActivities', { ...input, limit, ...(cursor !== undefined && { cursor }) });
    for (const activity of page.activities) rows.push(...rowsOf(activity));
    count += page.activities.length;
    tell(count);
    cursor = page.next;
  } while (cursor !== undefined && count < most);
  return { number: (last?.number ?? 0) + 1, count, next: cursor, rows };
}
