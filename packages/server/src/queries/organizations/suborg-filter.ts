import { invalidField } from '../../wire/refuse.ts';

/** What a list of sub-organizations is filtered by; undefined for all of them. An empty text counts as absent. Refuses half a filter. */
export function readSuborgFilter<T extends string>(
  filterType: T | '' | undefined,
  filterValue: string | undefined,
): { readonly filterType: T; readonly filterValue: string } | undefined {
  const [type, value] = [filterType === '' ? undefined : filterType, filterValue === '' ? undefined : filterValue];
  if (type === undefined) {
    if (value !== undefined) throw invalidField('filterValue', 'needs a filterType that says what it is');
    return undefined;
  }
  if (value === undefined) throw invalidField('filterType', 'needs a filterValue to look for');
  return { filterType: type, filterValue: value };
}
