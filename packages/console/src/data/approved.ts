import { type Client, completed, type Submitted, waitForApproval } from '@countersign/client';

/** The result of an activity, as soon as it is approved. `waits` is called if approvals are pending. */
export async function approved<Result>(
  reader: Client,
  submitted: Submitted<unknown, Result>,
  waits: () => void,
): Promise<Result> {
  if (submitted.activity.status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED') waits();
  const { result } = await waitForApproval(reader, submitted);
  return Object.values(result)[0] as Result;
}

/** Whether an activity is completed. False if approvals are pending. Throws if it was rejected or failed. */
export function isCompleted(submitted: Submitted<unknown, unknown>): boolean {
  if (submitted.activity.status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED') return false;
  completed(submitted);
  return true;
}
