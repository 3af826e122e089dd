import type { BacktestServices, RangeRequest } from './backtest-types.ts';
import type { BacktestCursor } from './cursor.ts';
import { lowestIdAt } from './timestamp.ts';

/** Maximum number of activities to count in a range. */
const MAX_COUNTED = 1_000_000;
const HIGHEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The start and end of a range, and its number of activities. */
export async function beginRange(
  { store, clock }: Pick<BacktestServices, 'store' | 'clock'>,
  { organization, range }: RangeRequest,
): Promise<BacktestCursor & { readonly total: number }> {
  const { since = '0', until, last, types = [] } = range;
  const startedAtMs = clock.nowMs();
  const endId = until === undefined ? HIGHEST_ID : lowestIdAt(Number(until));
  const span = { above: lowestIdAt(Number(since)), below: endId, types };
  const first = last === undefined ? undefined : await store.activities.newest(organization.id, span, last);
  const above = first ?? span.above;
  const total = await store.activities.count(organization.id, { ...span, above }, MAX_COUNTED);
  return { afterId: above, endId, startedAtMs, total };
}
