import { type ActivityDetails, queries } from '@countersign/contract';
import { isOwnActivity } from '@countersign/judgement';
import type { z } from 'zod';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import { type QueryContext, resolveScoped } from '../../pipeline/query.ts';
import type { ActivityFilter, Page } from '../../store/store.ts';
import { collect } from '../collect.ts';
import { each, toPage } from '../page.ts';
import { shortenVotes, showListed } from './show-listed.ts';

/** Approximate number of bytes of the stored activities that are in memory at a time. */
const PART_BYTES = 2_097_152;
/**
 * The activities, and the characters of their bodies, that one page of a user's own activities is searched in.
 * SECURITY: D323: a user without rights must not make the service read an organization's whole history.
 */
const MAX_SEARCHED = 1_000;
const MAX_SEARCHED_CHARACTERS = 8_000_000;

type Asked = z.output<typeof queries.listActivities.input>;
type Parts = (context: QueryContext, filter: ActivityFilter, page: Page) => AsyncIterable<readonly ActivityRecord[]>;

export const listActivities = resolveScoped(queries.listActivities, {
  all: (context, input) => list(context, input, allParts),
  own: (context, input) => list(context, input, ownParts),
});

async function list(context: QueryContext, { filterByStatus, filterByType, paginationOptions }: Asked, partsOf: Parts) {
  const filter = { ...(filterByStatus && { statuses: filterByStatus }), ...(filterByType && { types: filterByType }) };
  const page = toPage(paginationOptions);
  context.reserve(PART_BYTES);
  const parts: ActivityDetails[][] = [];
  for await (const records of partsOf(context, filter, page)) {
    const { items } = await collect(
      context,
      each(records, (record) => showListed(record, context.showActivity)),
      shortenVotes,
    );
    parts.push(items);
  }
  return { activities: (isUpwards(page) ? parts.reverse() : parts).flat() };
}

/** With only `before`, parts come oldest first. */
function isUpwards({ before, after }: Page): boolean {
  return before !== undefined && after === undefined;
}

function allParts({ activities, organization, endSlice }: QueryContext, filter: ActivityFilter, page: Page) {
  return activities.pageParts(organization.id, filter, page, endSlice);
}

async function* ownParts({ activities, organization, caller, endSlice }: QueryContext, filter: ActivityFilter, page: Page) {
  let missing = page.limit;
  let characters = 0;
  for await (const records of activities.pageParts(organization.id, filter, { ...page, limit: MAX_SEARCHED }, endSlice)) {
    const own = records.filter((record) => isOwnActivity(record, caller.userId));
    // Each part is newest first. INVARIANT: a page is adjacent to its cursor.
    const taken = isUpwards(page) ? own.slice(-missing) : own.slice(0, missing);
    yield taken;
    missing -= taken.length;
    for (const { votes } of records) for (const { message } of votes) characters += message.length;
    if (missing <= 0 || characters > MAX_SEARCHED_CHARACTERS) return;
  }
}
