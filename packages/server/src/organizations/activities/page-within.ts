import type { EndSlice } from '../../admission/index.ts';
import type { Page } from '../../store/store.ts';

interface Row {
  readonly id: string;
  readonly body: string;
}

/** Rows in the first batch, when their size is unknown, and at most. Few, because large rows may follow small ones. */
const FIRST_PART = 4;
const MAX_PART = 16;
/** Target size of a batch in characters. */
const PART_CHARACTERS = 524_288;

/**
 * Reads a page in batches, and ends it before the row that would exceed `maxCharacters`, but includes at least one row. This bounds the
 * memory of a page. Other requests are served between batches, and a batch has fewer rows if rows are large.
 */
export async function pageWithin<R extends Row>(
  endSlice: EndSlice,
  maxCharacters: number,
  page: Page,
  read: (part: Page) => Promise<readonly R[]>,
): Promise<readonly R[]> {
  // With only `before`, the page is adjacent to that cursor and grows towards newer rows.
  const upwards = page.before !== undefined && page.after === undefined;
  const found: R[] = [];
  let characters = 0;
  while (found.length < page.limit) {
    const fitting = found.length === 0 ? FIRST_PART : Math.floor((PART_CHARACTERS * found.length) / (characters + 1));
    const limit = Math.min(Math.max(1, fitting), MAX_PART, page.limit - found.length);
    const last = found.at(-1)?.id;
    const rows = await read({ ...page, limit, ...(last !== undefined && (upwards ? { before: last } : { after: last })) });
    for (const row of upwards ? rows.toReversed() : rows) {
      characters += row.body.length;
      if (found.length > 0 && characters > maxCharacters) return upwards ? found.reverse() : found;
      found.push(row);
    }
    if (rows.length < limit) break;
    const pause = endSlice();
    if (pause !== undefined) await pause;
  }
  return upwards ? found.reverse() : found;
}
