import { type Client, outcomeAfterApproval, type SubmittedActivity } from '@countersign/client';
import type { useToast } from '../../ui/toast.tsx';

/** Shows what came of an approved request. The response to a vote has no reason of a failure, so the activity is read again. */
export async function showOutcome(
  { reader }: { readonly reader: Client },
  showToast: ReturnType<typeof useToast>,
  { id, status, type }: SubmittedActivity,
): Promise<void> {
  const isFailed = status === 'ACTIVITY_STATUS_FAILED';
  const { failure } = isFailed ? (await reader.getActivity({ activityId: id })).activity : { failure: null };
  showToast(isFailed ? 'bad' : 'good', outcomeAfterApproval({ status, type, failure }));
}
