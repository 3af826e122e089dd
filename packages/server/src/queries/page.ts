import type { PersistentMap } from '@countersign/collections';
import { MAX_UNPAGED, MAX_UNPAGED_CHARACTERS, ServiceError } from '@countersign/contract';
import type { EndSlice } from '../admission/index.ts';
import type { Resource, ResourceKind } from '../organizations/records.ts';
import type { Resources } from '../organizations/snapshot/resources.ts';
import type { Page } from '../store/store.ts';
import type { WrittenJson } from '../wire/written-json.ts';
import { type Bounds, toList, writeAll, writeItems } from './write-items.ts';

type Options = { limit?: string | undefined; before?: string | undefined; after?: string | undefined };

/** Renders a list item. Undefined omits the item. */
type Show<V, S> = (id: string, record: V) => S | undefined;

/** Maximum number of characters of a page. */
const MAX_PAGE_CHARACTERS = 1_048_576;

/** Converts pagination options to a page: 10 items by default, at most 100. */
export function toPage(options: Options = {}): Page {
  const { limit = '10', before, after } = options;
  return { limit: Number(limit), ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
}

/**
 * Lists an organization's records: all of them, oldest first, or one page, newest first. A list of all ends with `others`, which are not
 * records.
 */
export async function listRecords<V, S>(
  endSlice: EndSlice,
  all: PersistentMap<V>,
  options: Options | undefined,
  show: Show<V, S>,
  others: readonly S[] = [],
): Promise<WrittenJson<S[]>> {
  if (options !== undefined) return toList(endSlice, (await pageOf(endSlice, all, options, show)).texts);
  if (all.size > MAX_UNPAGED) throw tooMany();
  if (tooLarge.has(all)) throw tooLong();
  const { texts, isCut } = await writeItems(endSlice, followedBy(shown(all.ascending(), show), others), whole);
  if (!isCut) return toList(endSlice, texts);
  tooLarge.add(all);
  throw tooLong();
}

/** Records that are too large for an unpaged list. Checking them again would cost as much as writing the list. */
const tooLarge = new WeakSet<PersistentMap<unknown>>();
const whole: Bounds = { items: Number.POSITIVE_INFINITY, characters: MAX_UNPAGED_CHARACTERS };
const tooMany = () => notWhole(`has more than ${MAX_UNPAGED.toLocaleString('en')} items`);
const tooLong = () => notWhole(`has more than ${MAX_UNPAGED_CHARACTERS.toLocaleString('en')} characters`);

/** A page of an organization's records, newest first: its items, and the JSON of each item. */
export async function pageOf<V, S>(
  endSlice: EndSlice,
  all: PersistentMap<V>,
  options: Options,
  show: Show<V, S>,
): Promise<{ readonly items: readonly S[]; readonly texts: readonly string[] }> {
  const { limit, before, after } = toPage(options);
  // INVARIANT: a page is adjacent to its cursor: `after`, or `before` if there is no `after`.
  const isUpwards = before !== undefined && after === undefined;
  const entries = isUpwards ? all.ascending(before) : upTo(all.descending(after), before);
  const made: S[] = [];
  const note = (item: S) => {
    made.push(item);
    return item;
  };
  const page: Bounds = { items: limit, characters: MAX_PAGE_CHARACTERS };
  const { texts } = await writeItems(endSlice, each(shown(entries, show), note), page);
  // The last item may have been too large for the page.
  const items = made.slice(0, texts.length);
  return isUpwards ? { items: items.toReversed(), texts: texts.toReversed() } : { items, texts };
}

function* upTo<V>(entries: Iterable<[string, V]>, before: string | undefined): Generator<[string, V]> {
  for (const entry of entries) {
    if (before !== undefined && entry[0] <= before) return;
    yield entry;
  }
}

/** Renders a record only after the previous one is written. */
export function* shown<V, S>(entries: Iterable<[string, V]>, show: Show<V, S>): Generator<S> {
  for (const [id, record] of entries) {
    const item = show(id, record);
    if (item !== undefined) yield item;
  }
}

function* followedBy<S>(first: Iterable<S>, second: Iterable<S>): Generator<S> {
  yield* first;
  yield* second;
}

/** Lists wallets or private keys, like `listRecords`. */
export async function listResources<K extends ResourceKind, S>(
  endSlice: EndSlice,
  resources: Resources,
  organizationId: string,
  kind: K,
  options: Options | undefined,
  show: (resource: Resource<K>) => S,
): Promise<WrittenJson<S[]>> {
  if (options !== undefined) {
    const page = await resources.page(organizationId, kind, toPage(options));
    return writeAll(endSlice, each(page, show));
  }
  const all = await resources.first(organizationId, kind, MAX_UNPAGED + 1, endSlice);
  if (all.length > MAX_UNPAGED) throw tooMany();
  const { texts, isCut } = await writeItems(endSlice, each(all, show), whole);
  if (isCut) throw tooLong();
  return toList(endSlice, texts);
}

/** Renders an item only after the previous one is written. */
export function* each<V, S>(all: Iterable<V>, show: (item: V) => S): Generator<S> {
  for (const item of all) yield show(item);
}

function notWhole(why: string): ServiceError {
  return new ServiceError(
    'REQUEST_INVALID',
    `invalid request: this list ${why} and is not given whole. Send paginationOptions, such as {"limit": "100"}, and ask for the next page with the id of the last item as "after".`,
    { violations: [{ field: 'paginationOptions', description: `Required for a list that ${why}.` }] },
  );
}
