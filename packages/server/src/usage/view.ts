import { type Counted, countsUntil, type FreesUp, type Usage, type VelocityControlRecord } from '@countersign/judgement';
import type { Bucket } from './bucket.ts';
import type { Point } from './usage-entry.ts';

/** Maximum number of points in `freesUp`. */
const MAX_FREED = 10;

/**
 * A bucket as a decision sees it, and the time at which its window ended. `freesUp` is computed on demand.
 * A class, because one is created per request, and object literals with getters are slow to create.
 */
export class BucketView implements Usage {
  readonly of: Bucket;
  readonly control: string;
  readonly bucket: string;
  readonly used: bigint;
  readonly revision: number;
  readonly timeMs: number;
  private readonly record: VelocityControlRecord;
  private readonly base: bigint;
  private readonly ahead: readonly Point[];

  constructor({ controlId, control: record }: Pick<Counted, 'controlId' | 'control'>, bucket: Bucket) {
    const window = bucket.known?.window;
    this.of = bucket;
    this.control = controlId;
    this.bucket = bucket.key.bucket;
    this.used = bucket.used;
    this.revision = bucket.revision;
    this.timeMs = bucket.timeMs;
    this.record = record;
    this.base = window?.base?.total ?? 0n;
    this.ahead = window?.ahead ?? [];
  }

  get freesUp(): readonly FreesUp[] {
    return freed(this.record, this.base, this.ahead);
  }
}

function freed(control: VelocityControlRecord, from: bigint, ahead: readonly Point[]): FreesUp[] {
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
