import type { Client } from '@countersign/client';
import { typesOf } from './kinds.ts';
import { meaningOf } from './meaning.ts';

/** What the list of activities is limited to. Texts as the person entered them, so that an address of the page contains them. */
export interface Filter {
  readonly status?: string;
  readonly kind?: string;
  readonly user?: string;
  readonly key?: string;
  readonly to?: string;
  readonly asset?: string;
  readonly min?: string;
  readonly max?: string;
  /** Words of the reference or of a memo. */
  readonly reference?: string;
  /** Dates, such as `2026-11-18`, both included. */
  readonly since?: string;
  readonly until?: string;
  /** The text of the search field. */
  readonly text?: string;
}

const names = ['status', 'kind', 'user', 'key', 'to', 'asset', 'min', 'max', 'reference', 'since', 'until', 'text'] as const;

/** The filter in the address of a page. */
export function filterOf(search: object): Filter {
  const given = search as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    // The router reads numbers from addresses.
    names.flatMap((name) => (given[name] === undefined || given[name] === '' ? [] : [[name, String(given[name])]])),
  );
}

export type SearchInput = NonNullable<Parameters<Client['searchActivities']>[0]>;

/** SECURITY: D1150: an amount with a separator is not searched for: `1,5` is one and a half for some people, and never fifteen. */
export function isAmount(text: string): boolean {
  return /^\d{1,60}(\.\d{1,60})?$/.test(text.trim());
}

/**
 * What the list is limited to: the filter, and what the text of the search field means. Undefined if a part of it cannot be searched for:
 * a name that nobody chose, an id of an activity, or a text that is no amount.
 */
export function effectiveFilter({ text = '', ...filter }: Filter): Filter | undefined {
  if ([filter.min, filter.max].some((amount) => amount !== undefined && !isAmount(amount))) return undefined;
  const meaning = meaningOf(text);
  if (meaning === undefined) return filter;
  return 'filter' in meaning ? { ...filter, ...meaning.filter } : undefined;
}

/** The end of a day in the time zone of the browser. A day has 23 or 25 hours when clocks change. */
function nextDay(date: string): number {
  const day = new Date(`${date}T00:00`);
  return day.setDate(day.getDate() + 1);
}

/** The search that a filter asks for. */
export function searchInput({ status, kind, user, key, to, asset, min, max, reference, since, until }: Filter): SearchInput {
  const start = since === undefined ? Number.NaN : new Date(`${since}T00:00`).getTime();
  const types = kind === undefined ? undefined : typesOf(kind);
  const end = until === undefined ? Number.NaN : nextDay(until);
  return {
    ...(status !== undefined && { filterByStatus: [status as NonNullable<SearchInput['filterByStatus']>[number]] }),
    ...(types !== undefined && { filterByType: types }),
    ...(user !== undefined && { userId: user }),
    ...(key !== undefined && { keyId: key }),
    ...(to !== undefined && { counterparty: to }),
    ...(asset !== undefined && { asset }),
    ...(min !== undefined && isAmount(min) && { minimumAmount: min.trim() }),
    ...(max !== undefined && isAmount(max) && { maximumAmount: max.trim() }),
    ...(reference !== undefined && { reference }),
    ...(!Number.isNaN(start) && { since: String(start) }),
    ...(!Number.isNaN(end) && { until: String(end) }),
  };
}
