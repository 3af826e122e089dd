import { type Client, type ListedActivity, type Submitted, stampedRequest } from '@countersign/client';
import type { Check } from '../../review/types.ts';
import { words } from '../../words/index.ts';

export type Vote = 'approve' | 'reject';

/**
 * Votes on the displayed request.
 * SECURITY: recomputes the fingerprint of the displayed message right before the passkey stamps it. Throws for a request that this browser
 * could not verify, or that differs from the stamped one.
 */
export function castVote(client: Client, activity: ListedActivity, check: Check, vote: Vote): Promise<Submitted> {
  const request = stampedRequest(activity);
  const isShown = 'request' in check && JSON.stringify(check.request) === JSON.stringify(request);
  if (request === undefined || !isShown) return Promise.reject(new Error(words.approvals.mismatch));
  const parameters = { fingerprint: activity.fingerprint };
  return vote === 'approve' ? client.approveActivity(parameters) : client.rejectActivity(parameters);
}
