import { type Counted, comparisonAt, formatDecimal, type NotedUsage } from '@countersign/judgement';
import type { Point } from './point.ts';
import type { SeenUsage } from './view.ts';

/** What an activity keeps of a bucket: what it held, at which time, and what was added. */
export function noteUsage(
  { controlId, control }: Counted,
  { bucket, used, revision, timeMs }: SeenUsage,
  judgedAtMs: number,
  added?: { readonly amount: bigint; readonly point: Point },
): NotedUsage {
  const threshold = comparisonAt(control, judgedAtMs)?.threshold;
  return {
    control: controlId,
    bucket,
    used: formatDecimal(used),
    ...(threshold !== undefined && { threshold: formatDecimal(threshold) }),
    revision,
    atMs: timeMs,
    ...(added && {
      counted: { amount: formatDecimal(added.amount), revision: added.point.revision, total: formatDecimal(added.point.total) },
    }),
  };
}
