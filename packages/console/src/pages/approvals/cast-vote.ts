import { type Client, type ListedActivity, type Submitted, stampedRequest } from '@countersign/client';
import type { Check } from '../../review/types.ts';
import { words } from '../../words/index.ts';

export type Vote = 'approve' | 'reject';

/** Whether a person can reject what the check found. */
export function isRejectable(check: Check): boolean {
  return 'request' in check || check.state === 'hidden';
}

/**
 * Votes on the displayed request.
 * SECURITY: recomputes the fingerprint of the displayed message right before the passkey stamps it. Throws for a request that this browser
 * could not verify, or that differs from the stamped one.
 * SECURITY: D1095: a request whose message the service hides can only be rejected, which signs nothing and changes nothing.
 */
export function castVote(client: Client, activity: ListedActivity, check: Check, vote: Vote): Promise<Submitted> {
  const request = stampedRequest(activity);
  const isShown = 'request' in check && JSON.stringify(check.request) === JSON.stringify(request);
  const isHidden = vote === 'reject' && check.state === 'hidden';
  if (!isHidden && (request === undefined || !isShown)) return Promise.reject(new Error(words.approvals.mismatch));
  const parameters = { fingerprint: activity.fingerprint };
  return vote === 'approve' ? client.approveActivity(parameters) : client.rejectActivity(parameters);
}
