import type { ActivityStatus } from '@countersign/contract';

/** Where an activity may go from each status. Terminal is final; the database refuses anything else as well. */
export const transitions: Readonly<Record<ActivityStatus, readonly ActivityStatus[]>> = {
  ACTIVITY_STATUS_CREATED: ['ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_FAILED'],
  ACTIVITY_STATUS_PENDING: ['ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_FAILED'],
  ACTIVITY_STATUS_CONSENSUS_NEEDED: [
    'ACTIVITY_STATUS_CONSENSUS_NEEDED',
    'ACTIVITY_STATUS_COMPLETED',
    'ACTIVITY_STATUS_FAILED',
    'ACTIVITY_STATUS_REJECTED',
  ],
  ACTIVITY_STATUS_COMPLETED: [],
  ACTIVITY_STATUS_FAILED: [],
  ACTIVITY_STATUS_REJECTED: [],
};

/** Whether nothing can happen to an activity any more. */
export function isTerminal(status: ActivityStatus): boolean {
  return transitions[status].length === 0;
}
