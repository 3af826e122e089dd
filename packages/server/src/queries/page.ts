import type { PersistentMap } from '@countersign/collections';
import { MAX_UNPAGED_CHARACTERS, ServiceError } from '@countersign/contract';
import type { Resource } from '../organizations/records.ts';
import type { QueryContext } from '../pipeline/query.ts';
import type { Page } from '../store/store.ts';
import { type Bounds, type Collected, collect, type Shorten, unbounded } from './collect.ts';

type Options = { limit?: string | undefined; before?: string | undefined; after?: string | undefined };

/** Renders a list item. Undefined omits the item. */
type Show<V, S> = (id: string, record: V) => S | undefined;

interface ListOptions<S> {
  readonly shorten?: Shorten<S>;
  /** Items at the end of a whole list that are not records. */
  readonly others?: readonly S[];
}

type Steps = Pick<QueryContext, 'endSlice' | 'reserve'>;

/** Every item has at least this many characters: it has an id, and times or another id. */
const MIN_ITEM_CHARACTERS = 100;
/** A whole list with more items has too many characters. */
const MAX_ITEMS = Math.floor(MAX_UNPAGED_CHARACTERS / MIN_ITEM_CHARACTERS);

/** Converts pagination options to a page: 10 items by default, at most 100. */
export function toPage(options: Options = {}): Page {
  const { limit = '10', before, after } = options;
  return { limit: Number(limit), ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
}

/** Lists an organization's records: all of them, oldest first, or one page, newest first. */
export async function listRecords<V, S>(
  steps: Steps,
  all: PersistentMap<V>,
  options: Options | undefined,
  show: Show<V, S>,
  { shorten, others = [] }: ListOptions<S> = {},
): Promise<S[]> {
  if (options !== undefined) return pageOf(steps, all, options, show, shorten);
  requireRoom(steps, all.size);
  return requireWhole(await collect(steps, followedBy(shown(all.ascending(), show), others), shorten, whole));
}

const whole: Bounds = { ...unbounded, characters: MAX_UNPAGED_CHARACTERS };

/** Throws before the list is built if its number of items alone makes it too long for a response or for the memory of responses. */
function requireRoom({ reserve }: Steps, count: number): void {
  if (count > MAX_ITEMS) throw tooLong();
  reserve(count * MIN_ITEM_CHARACTERS);
}

function requireWhole<S>({ items, isCut }: Collected<S>): S[] {
  if (isCut) throw tooLong();
  return items;
}

/** A page of an organization's records, newest first. */
export async function pageOf<V, S>(
  steps: Steps,
  all: PersistentMap<V>,
  options: Options,
  show: Show<V, S>,
  shorten?: Shorten<S>,
): Promise<S[]> {
  const { limit, before, after } = toPage(options);
  // INVARIANT: a page is adjacent to its cursor: `after`, or `before` if there is no `after`.
  const isUpwards = before !== undefined && after === undefined;
  const entries = isUpwards ? all.ascending(before) : upTo(all.descending(after), before);
  const { items } = await collect(steps, shown(entries, show), shorten, { ...unbounded, items: limit });
  return isUpwards ? items.reverse() : items;
}

function* upTo<V>(entries: Iterable<[string, V]>, before: string | undefined): Generator<[string, V]> {
  for (const entry of entries) {
    if (before !== undefined && entry[0] <= before) return;
    yield entry;
  }
}

/** Renders a record only when it is needed. */
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
export async function listResources<K extends 'privateKey' | 'wallet', S>(
  context: QueryContext,
  kind: K,
  options: Options | undefined,
  show: (resource: Resource<K>) => S,
): Promise<S[]> {
  const { resources, organization, endSlice } = context;
  if (options !== undefined) return (await resources.page(organization.id, kind, toPage(options))).map(show);
  requireRoom(context, organization.keyCounts[kind] ?? 0);
  const all = await resources.first(organization.id, kind, MAX_ITEMS + 1, endSlice);
  return requireWhole(await collect(context, each(all, show), undefined, whole));
}

/** Renders an item only when it is needed. */
export function* each<V, S>(all: Iterable<V>, show: (item: V) => S): Generator<S> {
  for (const item of all) yield show(item);
}

function tooLong(): ServiceError {
  const why = `has more than ${MAX_UNPAGED_CHARACTERS.toLocaleString('en')} characters`;
  return new ServiceError(
    'REQUEST_INVALID',
    `invalid request: this list ${why} and is not given whole. Send paginationOptions, such as {"limit": "100"}, and ask for the next page with the id of the last item as "after".`,
    { violations: [{ field: 'paginationOptions', description: `Required for a list that ${why}.` }] },
  );
}
