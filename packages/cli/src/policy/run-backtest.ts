import type { Client } from '@countersign/client';
import type { BacktestReportShape, PastRangeShape } from '@countersign/contract';
import type { Change } from './change-file.ts';

/** Activities per response. */
const PART = 2000;

type Counts = BacktestReportShape['before'];

/** Totals over all pages of a backtest. */
export type BacktestSum = BacktestReportShape & { readonly total: number };

/** Requests one page after the other and adds up the results. */
export async function runBacktest(
  client: Pick<Client, 'backtestPolicies'>,
  request: Change & { readonly range: PastRangeShape },
  onProgress: (read: number, total: number) => void,
): Promise<BacktestSum> {
  let sum: BacktestSum | undefined;
  let cursor: string | undefined;
  do {
    const part: Awaited<ReturnType<typeof client.backtestPolicies>> = await client.backtestPolicies({
      ...request,
      limit: PART,
      ...(cursor !== undefined && { cursor }),
    });
    const { next, total = 0, ...report } = part;
    sum = sum === undefined ? { ...report, total } : added(sum, report);
    onProgress(sum.read, sum.total);
    cursor = next;
  } while (cursor !== undefined);
  return { ...sum, summary: summaryOf(sum) };
}

function added(sum: BacktestSum, part: BacktestReportShape): BacktestSum {
  return {
    total: sum.total,
    read: sum.read + part.read,
    judged: sum.judged + part.judged,
    before: plus(sum.before, part.before),
    after: plus(sum.after, part.after),
    flips: [...sum.flips, ...part.flips],
    groups: merged([...sum.groups, ...part.groups], ({ before, after, reason }) => `${before} ${after} ${reason}`).sort(
      (a, b) => b.count - a.count,
    ),
    notes: [...new Set([...sum.notes, ...part.notes])],
    unknown: merged([...sum.unknown, ...part.unknown], ({ reason }) => reason),
    summary: '',
  };
}

function plus(a: Counts, b: Counts): Counts {
  return {
    ALLOW: a.ALLOW + b.ALLOW,
    DENY: a.DENY + b.DENY,
    NEEDS_CONSENSUS: a.NEEDS_CONSENSUS + b.NEEDS_CONSENSUS,
  };
}

function merged<T extends { readonly count: number }>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const byKey = new Map<string, T>();
  for (const item of items) {
    const known = byKey.get(keyOf(item));
    byKey.set(keyOf(item), known === undefined ? item : { ...known, count: known.count + item.count });
  }
  return [...byKey.values()];
}

/** Summary of all pages, in the words of the service. */
function summaryOf({ judged, groups, unknown }: BacktestReportShape): string {
  const to = (outcome: string) => groups.filter(({ after }) => after === outcome).reduce((sum, { count }) => sum + count, 0);
  const shown = (count: number) => count.toLocaleString('en-US');
  const waiting = to('NEEDS_CONSENSUS') === 0 ? '' : `, held back ${shown(to('NEEDS_CONSENSUS'))} for approvals`;
  const left = unknown.reduce((sum, { count }) => sum + count, 0);
  const rest = left === 0 ? '' : `; ${shown(left)} could not be replayed`;
  return `would have denied ${shown(to('DENY'))} of the last ${shown(judged)}, allowed ${shown(to('ALLOW'))} more${waiting}${rest}`;
}
