import { MAX_UNPAGED, ServiceError } from '@countersign/contract';
import type { PersistentMap } from '@countersign/policy';
import type { Resource, ResourceKind } from '../organizations/records.ts';
import type { Resources } from '../organizations/resources.ts';
import type { Page } from '../store/store.ts';

type Options = { limit?: string | undefined; before?: string | undefined; after?: string | undefined };

/** The most text of a page. It ends before the item that would exceed this, but not before its first. */
const MAX_PAGE_CHARACTERS = 1_048_576;

/** The page that pagination options ask for: 10 items by default, 100 at most. */
export function toPage(options: Options = {}): Page {
  const { limit = '10', before, after } = options;
  return { limit: Number(limit), ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
}

/** A list of an organization's records: whole and oldest first, or a page of it and newest first. */
export function listRecords<V, S>(
  all: PersistentMap<V>,
  options: Options | undefined,
  show: (id: string, record: V) => S | undefined,
): S[] {
  if (options === undefined) {
    requireListable(all.size);
    return shown(all.ascending(), Number.POSITIVE_INFINITY, show);
  }
  const { limit, before, after } = toPage(options);
  // INVARIANT: a page is next to its cursor: `after`, or `before` where it stands alone.
  if (before !== undefined && after === undefined) return shown(all.ascending(before), limit, show).reverse();
  return shown(upTo(all.descending(after), before), limit, show);
}

function* upTo<V>(entries: Iterable<[string, V]>, before: string | undefined): Generator<[string, V]> {
  for (const entry of entries) {
    if (before !== undefined && entry[0] <= before) return;
    yield entry;
  }
}

function shown<V, S>(entries: Iterable<[string, V]>, limit: number, show: (id: string, record: V) => S | undefined): S[] {
  const items: S[] = [];
  let characters = 0;
  for (const [id, record] of entries) {
    if (items.length >= limit) break;
    const item = show(id, record);
    if (item === undefined) continue;
    if (Number.isFinite(limit)) characters += JSON.stringify(item).length;
    if (items.length > 0 && characters > MAX_PAGE_CHARACTERS) break;
    items.push(item);
  }
  return items;
}

/** A list of wallets or private keys, in the same way. */
export async function listResources<K extends ResourceKind>(
  resources: Resources,
  organizationId: string,
  kind: K,
  options: Options | undefined,
): Promise<readonly Resource<K>[]> {
  if (options !== undefined) return resources.page(organizationId, kind, toPage(options));
  const all = await resources.first(organizationId, kind, MAX_UNPAGED + 1);
  requireListable(all.length);
  return all;
}

function requireListable(size: number): void {
  if (size <= MAX_UNPAGED) return;
  throw new ServiceError(
    'REQUEST_INVALID',
    `invalid request: this list has more than ${MAX_UNPAGED} items and is not given whole. Send paginationOptions, such as {"limit": "100"}, and ask for the next page with the id of the last item as "after".`,
    { violations: [{ field: 'paginationOptions', description: `Required for a list of more than ${MAX_UNPAGED} items.` }] },
  );
}
