import { type ActivityStatus, queries, ServiceError } from '@countersign/contract';
import { type QueryContext, resolve } from '../../pipeline/query.ts';
import { ActivityCounts } from '../../statistics/count-activities.ts';
import type { IntervalCount } from '../../store/count-store.ts';
import { readIntervals } from './intervals.ts';

const HOUR_MS = 3_600_000;
/** Maximum number of counts in a response. */
const MOST_COUNTS = 5_000;
/** Page size and maximum number of pages when counting leaves that the stored counts do not include yet. */
const TAIL_PAGE = 1_000;
const TAIL_PAGES = 5;

export const getActivityCounts = resolve(queries.getActivityCounts, async (context, input) => {
  const { fromHour, beforeHour, hours } = readIntervals(input, context.nowMs);
  const { leaves, sums } = await context.store.counts.sums(context.organization.id, {
    fromHour,
    beforeHour,
    hours,
    limit: MOST_COUNTS + 1,
  });
  const tail = await countTail(context, leaves);
  const recent = tail.rows
    .filter(({ hour }) => hour >= fromHour && hour < beforeHour)
    .map((row) => ({ ...row, hour: Math.floor(row.hour / hours) * hours }));
  const counts = merge([...sums, ...recent]);
  if (counts.length > MOST_COUNTS)
    throw new ServiceError('LIMIT_EXCEEDED', `There are more than ${MOST_COUNTS} counts in this range. Request a shorter range.`);
  return {
    counts: counts.map(({ hour, type, status, amount }) => ({
      startMs: String(hour * HOUR_MS),
      type,
      status: status as ActivityStatus,
      count: String(amount),
    })),
    isComplete: tail.isWhole,
  };
});

/** Counts the organization's newest leaves that are not among the first `counted` leaves of the log. */
async function countTail({ store, organization: { id } }: QueryContext, counted: number) {
  const counts = new ActivityCounts();
  const [head] = await store.log.heads([id]);
  let before = (head?.sequence ?? 0) + 1;
  for (let page = 0; page < TAIL_PAGES && before > 1; page++) {
    const from = Math.max(1, before - TAIL_PAGE);
    const below = before;
    const leaves = await store.log.leavesOf(id, from, before - from);
    const uncounted = leaves.filter(({ leafIndex, sequence }) => leafIndex >= counted && sequence < below);
    for (const leaf of uncounted) counts.add(leaf);
    // The others were counted, also those that are in archive files.
    if (uncounted.length < before - from) return { rows: counts.rows(), isWhole: true };
    before = from;
  }
  return { rows: counts.rows(), isWhole: before === 1 };
}

/** One count for each interval, type and status, in order. */
function merge(counts: readonly IntervalCount[]): readonly IntervalCount[] {
  const merged = new Map<string, IntervalCount>();
  for (const { hour, type, status, amount } of counts) {
    const key = `${hour}/${type}/${status}`;
    merged.set(key, { hour, type, status, amount: amount + (merged.get(key)?.amount ?? 0) });
  }
  const orderOf = ({ type, status }: IntervalCount) => `${type}/${status}`;
  return [...merged.values()].sort((a, b) => a.hour - b.hour || (orderOf(a) < orderOf(b) ? -1 : 1));
}
