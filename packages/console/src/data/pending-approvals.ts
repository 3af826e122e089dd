import type { Client, ListedActivity } from '@countersign/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useSession } from '../session/context.tsx';
import { ask } from './ask.ts';

const PAGE = 100;
/** Pending activities that are loaded. Fifty people with twenty requests each. */
export const MOST_PENDING = 1_000;

interface Pending {
  readonly activities: readonly ListedActivity[];
  /** Whether there are older ones that were not loaded. */
  readonly hasMore: boolean;
}

/** The newest pending activities: those that wait for this person, also for another factor, and those for others. */
export function usePendingApprovals() {
  const { reader } = useSession();
  const query = useQuery({
    queryKey: ['listActivities', 'pending'],
    queryFn: ({ signal }) => loadPending(reader, signal),
  });
  const activities = query.data?.activities;
  const sorted = useMemo(() => {
    const mine: ListedActivity[] = [];
    const others: ListedActivity[] = [];
    for (const activity of activities ?? []) (activity.canApprove ? mine : others).push(activity);
    return { mine, others };
  }, [activities]);
  return { ...sorted, query };
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
