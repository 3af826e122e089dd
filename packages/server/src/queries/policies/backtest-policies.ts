import { queries } from '@countersign/contract';
import { resolve } from '../../pipeline/query.ts';

export const backtestPolicies = resolve(queries.backtestPolicies, async ({ backtest }, input) => {
  const { policies = {}, velocityControls = {}, range = {}, limit, cursor } = input;
  const { report, total, next } = await backtest({ policies, velocityControls, range, limit, cursor });
  return { ...report, ...(total !== undefined && { total }), ...(next !== undefined && { next }) };
});
