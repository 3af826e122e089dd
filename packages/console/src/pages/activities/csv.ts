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
  'Network',
  'From',
  'Effect',
  'To',
  'Asset',
  'Asset id',
  'Amount',
  'Hash',
  'Approved by',
];

/** One row for each effect, without fees. An activity without effects has one row. */
export function rowsOf(activity: ListedActivity): string[] {
  const { id, type, status, parsed, votes, createdAt, reference = '', transactionHash = '' } = activity;
  const all = parsed?.effects ?? [];
  const common = [
    new Date(toMs(createdAt)).toISOString(),
    id,
    typeLabel(type),
    status.replace('ACTIVITY_STATUS_', ''),
    votes[0]?.user.userName ?? '',
    reference,
    parsed?.description ?? '',
    // The fee is in the coin of the network, and the signer pays it.
    networkOf(all.find(({ asset }) => asset !== undefined)),
  ];
  const payer = all.find(({ from }) => from !== undefined)?.from ?? '';
  const [, ...others] = votes.filter(({ selection }) => selection === 'VOTE_SELECTION_APPROVED');
  const end = [transactionHash, others.map(({ user }) => user.userName).join(', ')];
  const effects = all.filter(({ kind }) => kind !== 'FEE');
  if (effects.length === 0) return [toLine([...common, payer, '', '', '', '', '', ...end])];
  return effects.map(({ kind, from = payer, to = '', asset, units, amount = '', unlimited }) => {
    const moved = unlimited ? 'unlimited' : (units ?? amount);
    return toLine([...common, from, kind, to, asset?.symbol ?? '', asset?.id ?? '', moved, ...end]);
  });
}

type Effect = NonNullable<ListedActivity['parsed']>['effects'][number];

/** The CAIP-2 name of a network, which the CAIP-19 name of an asset begins with. */
function networkOf(effect: Effect | undefined): string {
  return effect?.asset?.id.split('/')[0] ?? '';
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
