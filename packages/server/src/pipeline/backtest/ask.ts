import type { PastRangeShape, PolicyChangeShape } from '@countersign/contract';
import type { Snapshot } from '../../organizations/snapshot.ts';
import type { PipelineServices } from '../services.ts';
import type { BacktestPart } from './backtest.ts';
import { changedPolicies } from './changed-policies.ts';

/** A backtest as it is asked for. */
export interface AskedBacktest {
  readonly policies: PolicyChangeShape;
  readonly range: PastRangeShape;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

const DEFAULT_LIMIT = 1000;

/** Answers one part of a backtest. Throws where the change could not be made. */
export async function askBacktest(
  { backtest, clock }: Pick<PipelineServices, 'backtest' | 'clock'>,
  organization: Snapshot,
  { policies, range, limit = DEFAULT_LIMIT, cursor }: AskedBacktest,
): Promise<BacktestPart> {
  return backtest.run({ organization, policies: changedPolicies(organization, policies, clock.nowMs()), range, limit, cursor });
}
