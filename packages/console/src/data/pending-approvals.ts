import type { ListedActivity } from '@countersign/client';
import { useMemo } from 'react';
import { useSession } from '../session/context.tsx';
import { useServiceQuery } from './service-query.ts';

/** The newest hundred pending activities, for this person and for others. */
export function usePendingApprovals() {
  const { userId } = useSession();
  const query = useServiceQuery('listActivities', {
    filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'],
    paginationOptions: { limit: '100' },
  });
  const activities = query.data?.activities;
  const sorted = useMemo(() => {
    const mine: ListedActivity[] = [];
    const others: ListedActivity[] = [];
    for (const activity of activities ?? []) (isFor(activity, userId) ? mine : others).push(activity);
    return { mine, others };
  }, [activities, userId]);
  return { ...sorted, query };
}

/** Whether the user can still vote on an activity. */
function isFor({ canApprove, votes }: ListedActivity, userId: string): boolean {
  return canApprove && !votes.some((vote) => vote.userId === userId);
}
