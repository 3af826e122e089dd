import { queries } from '@countersign/contract';
import { resolve } from '../../pipeline/query.ts';

const DEFAULT_LIMIT = 100;

export const listPastRequests = resolve(queries.listPastRequests, async ({ pastRequests, organization, endSlice }, input) => {
  const { activityIds, range = {}, limit = DEFAULT_LIMIT, cursor } = input;
  const { requests, states, ...rest } = await pastRequests.list({ organization, activityIds, range, limit, cursor, endSlice });
  return { requests: [...requests], states: [...states], ...rest };
});
