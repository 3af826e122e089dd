import { memoizeByRef } from '../memoize-by-ref.ts';
import type { Counted } from './amounts.ts';
import { formatDecimal, parseDecimal } from './decimal.ts';
import type { Comparison } from './model.ts';
import type { StoredUsage, Usage, UsageByBucket } from './usage.ts';
import { comparisonAt } from './value.ts';

/** What was added to a bucket, amounts scaled. */
export interface Added {
  readonly amount: bigint;
  readonly revision: number;
  readonly total: bigint;
}

/** What an activity keeps of a bucket: what it held at a time, and what was added. `judgedAtMs` tells which threshold was in force. */
export function serializeUsage(
  { controlId, control }: Pick<Counted, 'controlId' | 'control'>,
  { bucket, used, revision }: Pick<Usage, 'bucket' | 'used' | 'revision'>,
  atMs: number,
  judgedAtMs: number,
  added?: Added,
): StoredUsage {
  const comparison = comparisonAt(control, judgedAtMs);
  const noted: { -readonly [K in keyof StoredUsage]: StoredUsage[K] } = {
    control: controlId,
    bucket,
    used: formatDecimal(used),
    revision,
    atMs,
  };
  if (comparison !== undefined) noted.threshold = thresholdOf(comparison).text;
  if (added !== undefined) {
    const { amount, revision: next, total } = added;
    noted.counted = { amount: formatDecimal(amount), revision: next, total: formatDecimal(total) };
  }
  return noted;
}

const thresholdOf = memoizeByRef(({ threshold }: Comparison) => ({ text: formatDecimal(threshold) }));

/** The usage that a decision noted, to judge again with. */
export function usageFrom(noted: readonly StoredUsage[] | undefined): UsageByBucket | undefined {
  return (
    noted &&
    new Map(noted.map(({ control, bucket, used, revision }) => [bucket, { control, bucket, used: parseDecimal(used), revision }]))
  );
}
