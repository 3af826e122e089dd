import type { Client, ListedActivity } from '@countersign/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { isForbidden } from '../data/errors.ts';
import { useSession } from '../session/context.tsx';

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

/** The stamped message of an activity. Empty if the log hides it too, or if the person may not read the log. */
export async function messageInLog(
  reader: Pick<Client, 'getLogProof' | 'listAuditRecords'>,
  activityId: string,
): Promise<string> {
  try {
    const { leaf } = await reader.getLogProof({ activityId, revision: '0' });
    const { sequence } = JSON.parse(leaf.opening) as { sequence: number };
    const { records } = await reader.listAuditRecords({ from: String(sequence), limit: '1' });
    const content = JSON.parse(records[0]?.content ?? '{}') as { body?: unknown; vote?: { body?: unknown } };
    const body = content.vote?.body ?? content.body;
    return typeof body === 'string' ? body : '';
  } catch (error) {
    if (isForbidden(error)) return '';
    throw error;
  }
}
