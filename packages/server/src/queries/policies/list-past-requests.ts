import { queries } from '@countersign/contract';
import { resolve } from '../../pipeline/query.ts';
import { writeAll } from '../write-items.ts';

const DEFAULT_LIMIT = 100;

export const listPastRequests = resolve(queries.listPastRequests, async ({ pastRequests, organization, endSlice }, input) => {
  const { activityIds, range = {}, limit = DEFAULT_LIMIT, cursor } = input;
  const { requests, states, unknown, ...where } = await pastRequests.list({ organization, activityIds, range, limit, cursor });
  const write = <S>(items: readonly S[]) => writeAll(endSlice, items);
  return { requests: await write(requests), states: await write(states), unknown, ...where };
});
