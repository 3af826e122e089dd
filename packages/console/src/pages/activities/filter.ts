import type { Client } from '@countersign/client';
import { typesOf } from './kinds.ts';

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
  /** Words of the reference. */
  readonly reference?: string;
  /** Dates, such as `2026-11-18`, both included. */
  readonly since?: string;
  readonly until?: string;
}

const names = ['status', 'kind', 'user', 'key', 'to', 'asset', 'min', 'max', 'reference', 'since', 'until'] as const;

/** The filter in the address of a page. */
export function filterOf(search: object): Filter {
  const given = search as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    // The router reads numbers from addresses.
    names.flatMap((name) => (given[name] === undefined || given[name] === '' ? [] : [[name, String(given[name])]])),
  );
}

export type SearchInput = NonNullable<Parameters<Client['searchActivities']>[0]>;

const amount = (text: string) => text.replace(/[,\s]/g, '');

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
    ...(min !== undefined && { minimumAmount: amount(min) }),
    ...(max !== undefined && { maximumAmount: amount(max) }),
    ...(reference !== undefined && { reference }),
    ...(!Number.isNaN(start) && { since: String(start) }),
    ...(!Number.isNaN(end) && { until: String(end) }),
  };
}

/** What a text in the search field means. */
export type Meaning =
  | { readonly is: 'activity'; readonly id: string }
  | { readonly is: 'address'; readonly filter: Filter }
  | { readonly is: 'amount'; readonly filter: Filter }
  | { readonly is: 'name'; readonly text: string }
  | undefined;

/** Reads a text in the search field: an id, an address, an amount such as `25,000 USDC` or `> 500`, or a name. */
export function meaningOf(text: string): Meaning {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(trimmed)) return { is: 'activity', id: trimmed.toLowerCase() };
  const [, sign, digits, asset] = /^([<>]?)=?\s*(\d[\d,]*(?:\.\d+)?)\s*([A-Za-z][A-Za-z0-9.]{0,15})?$/.exec(trimmed) ?? [];
  if (digits !== undefined) {
    const limits = sign === '>' ? { min: digits } : sign === '<' ? { max: digits } : { min: digits, max: digits };
    return { is: 'amount', filter: { ...limits, ...(asset !== undefined && { asset }) } };
  }
  if (/^(0x[0-9a-f]{40}|[a-z0-9]{26,100})$/i.test(trimmed)) return { is: 'address', filter: { to: trimmed } };
  return { is: 'name', text: trimmed };
}
