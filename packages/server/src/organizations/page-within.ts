import type { Page } from '../store/store.ts';

interface Row {
  readonly id: string;
  readonly body: string;
}

/** How many rows are read at once while they may be large. */
const PART = 16;

/**
 * Reads a page in parts, and ends it before the row that would exceed `maxCharacters`, but not before its first. So no page takes much
 * more memory than that.
 */
export async function pageWithin<R extends Row>(
  maxCharacters: number,
  page: Page,
  read: (part: Page) => Promise<readonly R[]>,
): Promise<readonly R[]> {
  // With `before` alone, the page is next to that cursor and grows towards newer rows.
  const upwards = page.before !== undefined && page.after === undefined;
  const found: R[] = [];
  let characters = 0;
  while (found.length < page.limit) {
    const limit = Math.min(PART, page.limit - found.length);
    const last = found.at(-1)?.id;
    const rows = await read({ ...page, limit, ...(last !== undefined && (upwards ? { before: last } : { after: last })) });
    for (const row of upwards ? rows.toReversed() : rows) {
      characters += row.body.length;
      if (found.length > 0 && characters > maxCharacters) return upwards ? found.reverse() : found;
      found.push(row);
    }
    if (rows.length < limit) break;
  }
  return upwards ? found.reverse() : found;
}
