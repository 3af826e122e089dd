import { memoizeByRef } from '@countersign/collections';
import type { Counted } from './amounts.ts';
import { formatDecimal, parseDecimal } from './decimal.ts';
import type { Comparison } from './model.ts';
import type { StoredUsage, Usage, UsageByBucket } from './usage.ts';
import { comparisonAt } from './value.ts';

/** An addition to a bucket. Amounts are scaled. */
export interface Added {
  readonly amount: bigint;
  readonly revision: number;
  readonly total: bigint;
}

/** Serializes the usage of a bucket at `atMs` and the addition to it. `judgedAtMs` determines which threshold was in force. */
export function serializeUsage(
  { controlId, control }: Pick<Counted, 'controlId' | 'control'>,
  { bucket, used, revision }: Pick<Usage, 'bucket' | 'used' | 'revision'>,
  atMs: number,
  judgedAtMs: number,
  added?: Added,
): StoredUsage {
  const comparison = comparisonAt(control, judgedAtMs);
  const stored: { -readonly [K in keyof StoredUsage]: StoredUsage[K] } = {
    control: controlId,
    bucket,
    used: formatDecimal(used),
    revision,
    atMs,
  };
  if (comparison !== undefined) stored.threshold = thresholdOf(comparison).text;
  if (added !== undefined) {
    const { amount, revision: next, total } = added;
    stored.counted = { amount: formatDecimal(amount), revision: next, total: formatDecimal(total) };
  }
  return stored;
}

const thresholdOf = memoizeByRef(({ threshold }: Comparison) => ({ text: formatDecimal(threshold) }));

/** Restores the usage of a stored decision, to replay the decision. */
export function usageFrom(stored: readonly StoredUsage[] | undefined): UsageByBucket | undefined {
  return (
    stored &&
    new Map(
      stored.map(({ control, bucket, used, revision }) => [bucket, { control, bucket, used: parseDecimal(used), revision }]),
    )
  );
}
