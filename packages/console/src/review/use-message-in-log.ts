import type { ListedActivity } from '@countersign/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useSession } from '../session/context.tsx';
import { messageInLog } from './message-in-log.ts';

/** An activity with its stamped message, also if responses hide that because it contains a token. */
interface WithMessage {
  readonly activity: ListedActivity;
  /** Whether the message is from the audit log. */
  readonly isFromLog: boolean;
}

/**
 * Reads the stamped message of an activity in the audit log if responses hide it. People who may not read the log get no message.
 * SECURITY: D1120: nothing of it is believed here. A message is shown, and can be approved, only if it has the fingerprint.
 */
export function useMessageInLog(activity: ListedActivity): Pick<UseQueryResult<WithMessage>, 'data' | 'error' | 'refetch'> {
  const { reader } = useSession();
  const isHidden = activity.votes[0]?.message === '';
  const query = useQuery({
    queryKey: ['message', activity.id, activity.fingerprint],
    queryFn: () => messageInLog(reader, activity.id),
    enabled: isHidden,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data: message, error, refetch } = query;
  const given = (data: WithMessage | undefined) => ({ data, error, refetch }) as ReturnType<typeof useMessageInLog>;
  if (!isHidden) return given({ activity, isFromLog: false });
  // A request that cannot be read can still be rejected.
  if (message === '' || error !== null) return given({ activity, isFromLog: false });
  if (message === undefined) return given(undefined);
  const votes = activity.votes.map((vote, index) => (index === 0 ? { ...vote, message } : vote));
  return given({ activity: { ...activity, votes }, isFromLog: true });
}
