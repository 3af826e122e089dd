import type { PastRangeShape } from '@countersign/contract';
import type { EndSlice } from '../admission/index.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import type { Backtest, BacktestPart } from './backtest-types.ts';
import { changedRules, type RuleChange } from './changed-rules.ts';

/** Parameters of a backtest. */
export interface BacktestInput extends RuleChange {
  readonly range: PastRangeShape;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly endSlice?: EndSlice | undefined;
}

const DEFAULT_LIMIT = 1000;

/** Runs one part of a backtest. Throws if the change is invalid. */
export async function runBacktest(
  backtest: Backtest,
  organization: Snapshot,
  { range, limit = DEFAULT_LIMIT, cursor, endSlice, ...change }: BacktestInput,
  nowMs: number,
): Promise<BacktestPart> {
  const rules = changedRules(organization, change, nowMs);
  return backtest.run({ organization, rules, range, limit, cursor, endSlice });
}
