import { invalidField } from '../../wire/refuse.ts';

/** Reads the filter of a list of sub-organizations; undefined means all. An empty text counts as absent. Rejects an incomplete filter. */
export function readSuborgFilter<T extends string>(
  filterType: T | '' | undefined,
  filterValue: string | undefined,
): { readonly filterType: T; readonly filterValue: string } | undefined {
  const [type, value] = [filterType === '' ? undefined : filterType, filterValue === '' ? undefined : filterValue];
  if (type === undefined) {
    if (value !== undefined) throw invalidField('filterValue', 'needs a filterType');
    return undefined;
  }
  if (value === undefined) throw invalidField('filterType', 'needs a filterValue');
  return { filterType: type, filterValue: value };
}
