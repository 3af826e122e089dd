import type { QueryContext } from '../pipeline/query.ts';
import type { Page } from '../store/store.ts';
import type { toPage } from './page.ts';

type Asked = {
  readonly matching?: string | undefined;
  readonly paginationOptions?: Parameters<typeof toPage>[0];
};

/** Whether an item has the text in one of its words, without case, or as its id. Without a text, every item matches. */
export function matcherOf(text: string | undefined): (id: string, words: readonly (string | undefined)[]) => boolean {
  if (text === undefined) return () => true;
  const wanted = text.trim().toLowerCase();
  return (id, words) => id === wanted || words.some((word) => word?.toLowerCase().includes(wanted) === true);
}

/** A list with a text is always a page: 10 items unless the request says otherwise. */
export function pageOptions({ matching, paginationOptions }: Asked, isFiltered = matching !== undefined) {
  return isFiltered ? (paginationOptions ?? {}) : paginationOptions;
}

/** Wallets or private keys that one request reads. They are in the database, and each read verifies them. */
const MAX_READ = 5_000;
const PART = 250;

interface Matching<Item> {
  readonly found: readonly Item[];
  /** Where a further request continues, if this one ended before the list did and without a full page. */
  readonly next: string | undefined;
}

/** The page of resources that match. Searches at most `MAX_READ` of them, beginning at the cursor. */
export async function matchingPage<Item extends { readonly id: string }>(
  { endSlice }: Pick<QueryContext, 'endSlice'>,
  { limit, after }: Page,
  read: (page: Page) => Promise<readonly Item[]>,
  isMatch: (item: Item) => boolean,
): Promise<Matching<Item>> {
  const found: Item[] = [];
  let last = after;
  for (let left = MAX_READ; left > 0; left -= PART) {
    const items = await read({ limit: PART, ...(last !== undefined && { after: last }) });
    for (const item of items) if (found.length < limit && isMatch(item)) found.push(item);
    last = items.at(-1)?.id;
    if (found.length >= limit || items.length < PART) return { found, next: undefined };
    await endSlice();
  }
  return { found, next: last };
}
