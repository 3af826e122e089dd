import { comparisonAt, type Counted, formatDecimal, type NotedUsage } from '@countersign/judgement';
import type { Bucket } from './bucket.ts';
import type { Point } from './point.ts';

/** What an activity keeps of a bucket: what it held, by which time, and what was added. Call it before the point is the newest. */
export function noteUsage(
  { controlId, control }: Counted,
  bucket: Bucket,
  judgedAtMs: number,
  added: { readonly amount: bigint; readonly point: Point } | undefined,
): NotedUsage {
  const threshold = comparisonAt(control, judgedAtMs)?.threshold;
  return {
    control: controlId,
    bucket: bucket.key.bucket,
    used: formatDecimal(bucket.used),
    ...(threshold !== undefined && { threshold: formatDecimal(threshold) }),
    revision: bucket.revision,
    atMs: bucket.timeMs,
    ...(added && {
      counted: { amount: formatDecimal(added.amount), revision: added.point.revision, total: formatDecimal(added.point.total) },
    }),
  };
}
