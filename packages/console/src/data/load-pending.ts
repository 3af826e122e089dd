import type { Client, ListedActivity } from '@countersign/client';
import { ask } from './ask.ts';

const PAGE = 100;
/** Pending activities that are loaded. Fifty people with twenty requests each. */
export const MOST_PENDING = 1_000;

interface Pending {
  readonly activities: readonly ListedActivity[];
  /** Whether there are older ones that were not loaded. */
  readonly hasMore: boolean;
}

/** Throws if one page fails: a part would look like the whole. */
export async function loadPending(reader: Pick<Client, 'listActivities'>, signal?: AbortSignal): Promise<Pending> {
  const activities: ListedActivity[] = [];
  while (activities.length < MOST_PENDING) {
    const after = activities.at(-1)?.id;
    const page = await ask(
      reader as Client,
      'listActivities',
      {
        filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'],
        paginationOptions: { limit: String(PAGE), ...(after !== undefined && { after }) },
      },
      signal,
    );
    activities.push(...page.activities);
    if (page.activities.length < PAGE) return { activities, hasMore: false };
  }
  return { activities, hasMore: true };
}
