import { createBacktest } from './backtest.ts';
import type { Backtest, BacktestServices, Explanations, PastRequests } from './backtest-types.ts';
import { createExplanations } from './explanations.ts';
import { createHistoryCache } from './history-cache.ts';
import { createPastRequests } from './past-requests.ts';
import { createSlots } from './slots.ts';

/** All read histories through one cache, and share the limit of concurrent backtests. */
export function openBacktest(services: BacktestServices): {
  readonly backtest: Backtest;
  readonly pastRequests: PastRequests;
  readonly explanations: Explanations;
} {
  const shared = { histories: createHistoryCache(services), slots: createSlots() };
  return {
    backtest: createBacktest(services, shared),
    pastRequests: createPastRequests(services, shared),
    explanations: createExplanations(services, shared),
  };
}
