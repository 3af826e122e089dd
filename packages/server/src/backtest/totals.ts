import type { BacktestFlipShape, BacktestReportShape } from '@countersign/contract';
import type { BacktestOutcome } from './outcome-change.ts';

type UnknownReason = BacktestReportShape['unknown'][number]['reason'];

/** Maximum number of ids to report per reason. */
const MAX_SHOWN = 10;

/** Counts the results of a backtest. */
export class Totals {
  read = 0;
  judged = 0;
  readonly outcomeChanges: BacktestFlipShape[] = [];
  readonly #before = { ALLOW: 0, DENY: 0, NEEDS_CONSENSUS: 0 };
  readonly #after = { ALLOW: 0, DENY: 0, NEEDS_CONSENSUS: 0 };
  readonly #unknown = new Map<UnknownReason, { count: number; activityIds: string[] }>();

  add(before: BacktestOutcome, after: BacktestOutcome): void {
    this.judged += 1;
    this.#before[before] += 1;
    this.#after[after] += 1;
  }

  unknown(reason: UnknownReason, activityId: string, count = 1): void {
    const known = this.#unknown.get(reason) ?? { count: 0, activityIds: [] };
    this.#unknown.set(reason, known);
    known.count += count;
    if (known.activityIds.length < MAX_SHOWN) known.activityIds.push(activityId);
  }

  report(notes: readonly string[] = []): BacktestReportShape {
    const { read, judged, outcomeChanges } = this;
    const groups = new Map<string, { before: BacktestOutcome; after: BacktestOutcome; reason: string; count: number }>();
    for (const { before, after, reason } of outcomeChanges) {
      const key = `${before} ${after} ${reason}`;
      const group = groups.get(key) ?? { before, after, reason, count: 0 };
      groups.set(key, group);
      group.count += 1;
    }
    return {
      read,
      judged,
      before: { ...this.#before },
      after: { ...this.#after },
      groups: [...groups.values()].sort((a, b) => b.count - a.count),
      flips: outcomeChanges,
      unknown: [...this.#unknown].map(([reason, found]) => ({ reason, ...found })),
      notes: [...notes],
      summary: summaryOf(
        judged,
        outcomeChanges,
        [...this.#unknown.values()].reduce((sum, { count }) => sum + count, 0),
      ),
    };
  }
}

/** Summary in one sentence. */
function summaryOf(judged: number, changes: readonly BacktestFlipShape[], unknown: number): string {
  const to = (outcome: BacktestOutcome) => changes.filter(({ after }) => after === outcome).length.toLocaleString('en-US');
  const waiting = changes.some(({ after }) => after === 'NEEDS_CONSENSUS')
    ? `, held back ${to('NEEDS_CONSENSUS')} for approvals`
    : '';
  const left = unknown === 0 ? '' : `; ${unknown.toLocaleString('en-US')} could not be replayed`;
  return `would have denied ${to('DENY')} of the last ${judged.toLocaleString('en-US')}, allowed ${to('ALLOW')} more${waiting}${left}`;
}
