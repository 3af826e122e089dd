import { type ActivityDetails, queries } from '@countersign/contract';
import { resolve } from '../../pipeline/query.ts';
import { collect } from '../collect.ts';
import { each, toPage } from '../page.ts';
import { shortenVotes, showListed } from './show-listed.ts';

/** Approximate number of bytes of the stored activities that are in memory at a time. */
const PART_BYTES = 2_097_152;

export const listActivities = resolve(queries.listActivities, async (context, input) => {
  const { activities, organization, showActivity, endSlice, reserve } = context;
  const { filterByStatus, filterByType, paginationOptions } = input;
  const filter = { ...(filterByStatus && { statuses: filterByStatus }), ...(filterByType && { types: filterByType }) };
  const page = toPage(paginationOptions);
  reserve(PART_BYTES);
  const parts: ActivityDetails[][] = [];
  for await (const records of activities.pageParts(organization.id, filter, page, endSlice)) {
    const { items } = await collect(
      context,
      each(records, (record) => showListed(record, showActivity)),
      shortenVotes,
    );
    parts.push(items);
  }
  // With only `before`, parts come oldest first.
  const isUpwards = page.before !== undefined && page.after === undefined;
  return { activities: (isUpwards ? parts.reverse() : parts).flat() };
});
