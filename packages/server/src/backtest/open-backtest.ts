import { createBacktest } from './backtest.ts';
import { createPasts } from './history-cache.ts';
import type { Backtest, BacktestServices, PastRequests } from './history-reader.ts';
import { createPastRequests } from './past-requests.ts';
import { createSlots } from './slots.ts';

/** Both read histories through one cache, and share the limit of concurrent backtests. */
export function openBacktest(services: BacktestServices): {
  readonly backtest: Backtest;
  readonly pastRequests: PastRequests;
} {
  const past = { pasts: createPasts(services), slots: createSlots() };
  return { backtest: createBacktest(services, past), pastRequests: createPastRequests(services, past) };
}
