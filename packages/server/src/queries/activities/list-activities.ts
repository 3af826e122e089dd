import { queries } from '@countersign/contract';
import { resolve } from '../../pipeline/query.ts';
import { each, toPage } from '../page.ts';
import { writeAll } from '../write-items.ts';

export const listActivities = resolve(
  queries.listActivities,
  async ({ activities, organization, showActivity, endSlice, takePlace }, input) => {
    await takePlace();
    const { filterByStatus, filterByType, paginationOptions } = input;
    const filter = { ...(filterByStatus && { statuses: filterByStatus }), ...(filterByType && { types: filterByType }) };
    const records = await activities.page(organization.id, filter, toPage(paginationOptions), endSlice);
    return { activities: await writeAll(endSlice, each(records, showActivity)) };
  },
);
