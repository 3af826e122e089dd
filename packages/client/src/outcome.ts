import { isSending, isSignature } from '@countersign/contract/signature-types';
import type { ListedActivity } from './stamped-request.ts';

type Decided = Pick<ListedActivity, 'status' | 'type' | 'failure'>;

/** What came of an activity after an approval, in one sentence. The service sends only what was submitted to be sent. */
export function outcomeAfterApproval({ status, type, failure }: Decided): string {
  if (status === 'ACTIVITY_STATUS_COMPLETED' && isSending(type)) return 'Approved and signed. The service sends it.';
  if (status === 'ACTIVITY_STATUS_COMPLETED')
    return isSignature(type) ? 'Approved and signed. Not sent yet.' : 'Approved and executed.';
  if (status === 'ACTIVITY_STATUS_FAILED') return `Approved, but it failed: ${failure?.message ?? 'the service gives no reason'}`;
  if (status === 'ACTIVITY_STATUS_REJECTED') return 'Rejected.';
  return 'Approved. More approvals are needed.';
}
