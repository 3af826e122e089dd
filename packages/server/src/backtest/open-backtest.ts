import { createBacktest } from './backtest.ts';
import type { Backtest, BacktestServices, PastRequests } from './backtest-types.ts';
import { createHistoryCache } from './history-cache.ts';
import { createPastRequests } from './past-requests.ts';
import { createSlots } from './slots.ts';

/** Both read histories through one cache, and share the limit of concurrent backtests. */
export function openBacktest(services: BacktestServices): {
  readonly backtest: Backtest;
  readonly pastRequests: PastRequests;
} {
  const shared = { histories: createHistoryCache(services), slots: createSlots() };
  return { backtest: createBacktest(services, shared), pastRequests: createPastRequests(services, shared) };
}
