import type { Counted } from './counts.ts';
import { formatDecimal, parseDecimal } from './decimal.ts';
import type { NotedUsage, Usage, UsageByBucket } from './usage.ts';
import { comparisonAt } from './value.ts';

/** What was added to a bucket, amounts scaled. */
export interface Added {
  readonly amount: bigint;
  readonly revision: number;
  readonly total: bigint;
}

/** What an activity keeps of a bucket: what it held at a time, and what was added. `judgedAtMs` tells which threshold was in force. */
export function noteUsage(
  { controlId, control }: Pick<Counted, 'controlId' | 'control'>,
  { bucket, used, revision }: Pick<Usage, 'bucket' | 'used' | 'revision'>,
  atMs: number,
  judgedAtMs: number,
  added?: Added,
): NotedUsage {
  const threshold = comparisonAt(control, judgedAtMs)?.threshold;
  return {
    control: controlId,
    bucket,
    used: formatDecimal(used),
    ...(threshold !== undefined && { threshold: formatDecimal(threshold) }),
    revision,
    atMs,
    ...(added && {
      counted: { amount: formatDecimal(added.amount), revision: added.revision, total: formatDecimal(added.total) },
    }),
  };
}

/** The usage that a decision noted, to judge again with. */
export function usageFrom(noted: readonly NotedUsage[] | undefined): UsageByBucket | undefined {
  return (
    noted &&
    new Map(noted.map(({ control, bucket, used, revision }) => [bucket, { control, bucket, used: parseDecimal(used), revision }]))
  );
}
