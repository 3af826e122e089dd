import type { ListedActivity } from '@countersign/client';
import { useMemo } from 'react';
import { useServiceQuery } from './service-query.ts';

/** The newest hundred pending activities: those that wait for this person, also for another factor, and those for others. */
export function usePendingApprovals() {
  const query = useServiceQuery('listActivities', {
    filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'],
    paginationOptions: { limit: '100' },
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
