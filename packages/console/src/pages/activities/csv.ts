import type { ListedActivity } from '@countersign/client';
import { toMs } from '../../data/time.ts';
import { typeLabel } from '../../review/type-label.ts';

export const columns = [
  'Time',
  'Activity',
  'Kind',
  'Status',
  'Person',
  'Reference',
  'Description',
  'Effect',
  'To',
  'Asset',
  'Asset id',
  'Amount',
];

/** One row for each effect, without fees. An activity without effects has one row. */
export function rowsOf(activity: ListedActivity): string[] {
  const { id, type, status, parsed, votes, createdAt, reference = '' } = activity;
  const common = [
    new Date(toMs(createdAt)).toISOString(),
    id,
    typeLabel(type),
    status.replace('ACTIVITY_STATUS_', ''),
    votes[0]?.user.userName ?? '',
    reference,
    parsed?.description ?? '',
  ];
  const effects = (parsed?.effects ?? []).filter(({ kind }) => kind !== 'FEE');
  if (effects.length === 0) return [toLine([...common, '', '', '', '', ''])];
  return effects.map(({ kind, to = '', asset, units, amount = '', unlimited }) =>
    toLine([...common, kind, to, asset?.symbol ?? '', asset?.id ?? '', unlimited ? 'unlimited' : (units ?? amount)]),
  );
}

/**
 * A line of CSV (RFC 4180).
 * SECURITY: D823: spreadsheets run a text that begins like a formula. An apostrophe makes it a text. D1032: in many countries they separate
 * fields at semicolons, and see no quotes within a line, so each part of a value can be a field.
 */
export function toLine(values: readonly string[]): string {
  return values
    .map((value) => (/^\s*[=+\-@\t\r＝＋－＠]/.test(value) ? `'${value}` : value))
    .map((value) => value.replace(/([;\t\r\n]["\s]*)(?=[=+\-@＝＋－＠])/g, "$1'"))
    .map((value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value))
    .join(',');
}
