import { type Client, type ListedActivity, type Submitted, stampedRequest } from '@countersign/client';
import type { Check } from '../../review/types.ts';
import { words } from '../../words/index.ts';

export type Vote = 'approve' | 'reject';

/**
 * Votes on what is shown.
 * SECURITY: the fingerprint is that of the message on the screen, and it is computed again here, right before the passkey stamps it. A
 * request that this browser could not check, or that the service shows otherwise than it was stamped, gets no vote.
 */
export function castVote(client: Client, activity: ListedActivity, check: Check, vote: Vote): Promise<Submitted> {
  const request = stampedRequest(activity);
  const isShown = 'request' in check && JSON.stringify(check.request) === JSON.stringify(request);
  if (request === undefined || !isShown) return Promise.reject(new Error(words.approvals.mismatch));
  const parameters = { fingerprint: activity.fingerprint };
  return vote === 'approve' ? client.approveActivity(parameters) : client.rejectActivity(parameters);
}
