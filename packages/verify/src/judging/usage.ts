import { type ActivityDefinition, activities, activityKind } from '@countersign/contract';
import {
  countsOf,
  type DecisionRecord,
  type Judgement,
  parseDecimal,
  type StoredUsage,
  type VelocityControlRecord,
  windowStart,
} from '@countersign/judgement';
import { must } from '../audit-error.ts';
import type { Tally } from '../tally.ts';

/** A count in the history of a bucket. */
interface Point {
  readonly revision: number;
  readonly atMs: number;
  readonly total: bigint;
}

/** A control, and whether activities count for it that are in files of other organizations. */
interface Limit {
  readonly control: VelocityControlRecord;
  readonly isElsewhere: boolean;
}

/** What the file shows of one bucket, in order. */
interface Followed {
  points: Point[];
  /** How many activities were hidden when the last point was seen. */
  hiddenBefore: number;
}

/** More points than this are kept for windows that are long and full. Sums that reach further back are taken as stored. */
const MAX_POINTS = 1_000_000;

/**
 * Adds up again what controls counted, over all activities of a file.
 * INVARIANT: the counts of a bucket are numbered without a gap, each adds what the request itself says, and every sum that a decision
 * rests on is the sum of the counts in its window. So a number that was changed, left out or counted twice shows. Activities that the
 * file does not show can have counted too: at most as many numbers may be missing as there are such activities. For a limit that counts
 * the activities of a parent in its sub-organizations, the number is unknown: they are in the files of the sub-organizations.
 */
export class UsageHistory {
  readonly #buckets = new Map<string, Followed>();
  #hidden = 0;

  /** An activity may have counted, and the file does not say what. */
  hide(): void {
    this.#hidden += 1;
  }

  /** Whether an activity may have counted that the file does not show. */
  get hasHidden(): boolean {
    return this.#hidden > 0;
  }

  /** Checks the numbers of a decision. `isDone`: the activity was executed. `isTop`: the organization may have sub-organizations. */
  follow(
    { usage = [], outcome }: DecisionRecord,
    judgement: Judgement,
    { isDone, isTop }: { readonly isDone: boolean; readonly isTop: boolean },
    tally: Tally,
  ): void {
    const counts = new Map(
      isDone ? countsOf(judgement).flatMap((each) => each.counts.map(({ bucket, amount }) => [bucket, amount] as const)) : [],
    );
    const stored = new Set(usage.map(({ bucket }) => bucket));
    must(stored.size === usage.length, 'the decision contains a limit twice');
    for (const bucket of counts.keys()) must(stored.has(bucket), `it was executed, but limit ${bucket} did not count it`);
    for (const each of usage) {
      const control = judgement.organization.records.velocityControl.get(each.control);
      must(
        control !== undefined && each.bucket.startsWith(`${each.control}/`),
        'the decision contains a limit that did not exist',
      );
      const amount = counts.get(each.bucket);
      must((each.counted !== undefined) === (amount !== undefined), `limit ${each.bucket} counted the wrong requests`);
      const limit = { control, isElsewhere: isTop && countsElsewhere(control) };
      if (amount !== undefined) this.#count(each, amount, limit, tally);
      else if (isDone || outcome === 'DENY') this.#look(each, limit, tally);
      else tally.sumsTaken += 1;
    }
  }

  #count(stored: StoredUsage, amount: bigint, limit: Limit, tally: Tally): void {
    const { bucket, revision, atMs, counted } = stored;
    if (counted === undefined) return;
    const followed = this.#followed(bucket);
    const last = followed.points.at(-1);
    must(
      parseDecimal(counted.amount) === amount,
      `limit ${bucket} counted ${counted.amount}, which is not the amount of the request`,
    );
    must(counted.revision === revision + 1, `limit ${bucket} counted with a wrong revision`);
    const missing = revision - (last?.revision ?? 0);
    must(missing >= 0, `limit ${bucket} went back from count ${last?.revision} to ${revision}`);
    must(
      limit.isElsewhere || missing <= this.#hidden - followed.hiddenBefore,
      `${missing} counts of limit ${bucket} are missing before ${counted.revision}`,
    );
    must(atMs >= (last?.atMs ?? 0), `limit ${bucket} counted at an earlier time than the previous count`);
    const total = parseDecimal(counted.total);
    const before = total - amount;
    const known = last?.total ?? 0n;
    must(
      missing === 0 ? before === known : before >= known,
      `the total of limit ${bucket} does not add up at count ${counted.revision}`,
    );
    this.#requireSum(stored, before, limit, tally);
    followed.points.push({ revision: counted.revision, atMs, total });
    if (followed.points.length > MAX_POINTS) followed.points.splice(0, MAX_POINTS / 2);
    followed.hiddenBefore = this.#hidden;
    tally.countsChecked += 1;
  }

  /** Checks a sum to which nothing was added. Counts by other nodes may stand before it in the log, so it names which it has seen. */
  #look(stored: StoredUsage, limit: Limit, tally: Tally): void {
    const { points } = this.#followed(stored.bucket);
    const seen = stored.revision === 0 ? undefined : points.findLast(({ revision }) => revision === stored.revision);
    if (seen === undefined && stored.revision > 0) {
      const isHidden = this.#hidden > 0 || limit.isElsewhere || (points[0]?.revision ?? 1) > stored.revision;
      must(isHidden, `the decision contains count ${stored.revision} of limit ${stored.bucket}, which does not exist`);
      tally.sumsTaken += 1;
      return;
    }
    this.#requireSum(stored, seen?.total ?? 0n, limit, tally);
  }

  /** Checks what the window held: all that was counted, less what was counted at or before its start. */
  #requireSum({ bucket, used, atMs }: StoredUsage, total: bigint, limit: Limit, tally: Tally): void {
    const base = this.#base(bucket, windowStart(limit.control, atMs), this.#hidden > 0 || limit.isElsewhere);
    if (base === undefined) tally.sumsTaken += 1;
    else must(total - base === parseDecimal(used), `limit ${bucket} had ${used} used, which is not the sum of its counts`);
  }

  /** The total at the start of a window; undefined where a count that is not shown may lie there. */
  #base(bucket: string, cutoffMs: number | undefined, isHidden: boolean): bigint | undefined {
    if (cutoffMs === undefined) return 0n;
    const { points } = this.#followed(bucket);
    let low = 0;
    let high = points.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((points[middle] as Point).atMs <= cutoffMs) low = middle + 1;
      else high = middle;
    }
    const [base, next] = [points[low - 1], points[low]];
    if (next === undefined ? !isHidden : next.revision === (base?.revision ?? 0) + 1) return base?.total ?? 0n;
    return undefined;
  }

  #followed(bucket: string): Followed {
    const known = this.#buckets.get(bucket);
    if (known !== undefined) return known;
    const made = { points: [], hiddenBefore: 0 };
    this.#buckets.set(bucket, made);
    return made;
  }
}

/** The kinds of activity that users of a parent may do in its sub-organizations. Their votes are part of the activities that they are on. */
const kindsOfParents: ReadonlySet<string> = new Set(
  Object.values<ActivityDefinition>(activities)
    .filter(({ parentMayAct, vote }) => parentMayAct && vote === undefined)
    .flatMap(({ versions }) => versions.map(({ type }) => activityKind(type))),
);

function countsElsewhere({ dataSource: { activityExecution } }: VelocityControlRecord): boolean {
  if (activityExecution === undefined) return false;
  const counted = activityExecution.filter?.activity ?? [];
  return counted.length === 0 || counted.some(({ activityType }) => kindsOfParents.has(activityKind(activityType)));
}
