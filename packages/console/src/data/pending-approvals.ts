import type { ListedActivity } from '@countersign/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useSession } from '../session/context.tsx';
import { loadPending } from './load-pending.ts';

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
