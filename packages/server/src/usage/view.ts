import { type Counted, countsUntil, type FreesUp, type Usage, type VelocityControlRecord } from '@countersign/judgement';
import type { Bucket } from './bucket.ts';

/** How many points that leave the window next are told. */
const MAX_FREED = 50;

/** Usage, and the time at which its window ended. */
export interface SeenUsage extends Usage {
  readonly timeMs: number;
}

/** A bucket as a judgement sees it. What frees up is found out when somebody asks. */
export function viewOf({ controlId, control }: Pick<Counted, 'controlId' | 'control'>, bucket: Bucket): SeenUsage {
  const { used, revision, timeMs, known } = bucket;
  const window = known?.window;
  const base = window?.base;
  const ahead = window?.ahead ?? [];
  return {
    control: controlId,
    bucket: bucket.key.bucket,
    used,
    revision,
    timeMs,
    get freesUp() {
      return freed(control, base?.total ?? 0n, ahead);
    },
  };
}

function freed(
  control: VelocityControlRecord,
  from: bigint,
  ahead: readonly { readonly total: bigint; readonly atMs: number }[],
): FreesUp[] {
  const found: FreesUp[] = [];
  let before = from;
  for (const { total, atMs } of ahead.slice(0, MAX_FREED)) {
    const untilMs = countsUntil(control, atMs);
    const last = found.at(-1);
    if (untilMs !== undefined && last?.atMs === untilMs)
      found[found.length - 1] = { atMs: untilMs, amount: last.amount + total - before };
    else if (untilMs !== undefined) found.push({ atMs: untilMs, amount: total - before });
    before = total;
  }
  return found;
}
