import { timeText } from '../render.ts';
import { jsonText, printable } from '../terminal.ts';

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Rows and columns of a value: a list of records as is, one record as one row, any other value in a column "value". */
export function toRows(value: unknown): { readonly names: readonly string[]; readonly rows: readonly Fields[] } {
  const values = isFields(value) ? Object.values(value) : [];
  const only = values.length === 1 ? values[0] : undefined;
  // A response with a single list or record needs no column for its name.
  if (Array.isArray(only) || (isFields(only) && timeText(only) === undefined)) return toRows(only);
  const rows = (Array.isArray(value) ? value : [value]).map((each) => (isFields(each) ? each : { value: each }));
  return { names: [...new Set(rows.flatMap((row) => Object.keys(row)))], rows };
}

/** A value in one cell: times as dates, lists of scalars with commas, other values as JSON. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return printable(value);
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.map(cellText).join(', ');
  return (isFields(value) ? timeText(value) : undefined) ?? jsonText(value);
}
