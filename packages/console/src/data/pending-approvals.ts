import type { ListedActivity } from '@countersign/client';
import { useMemo } from 'react';
import { useSession } from '../session/context.tsx';
import { useServiceQuery } from './service-query.ts';

/** What waits for approvals: for this person, and for others. The newest hundred are asked for. */
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

/** Whether somebody may still decide on an activity: who has voted has decided. */
function isFor({ canApprove, votes }: ListedActivity, userId: string): boolean {
  return canApprove && !votes.some((vote) => vote.userId === userId);
}
