import type { ActivityStatus } from '@countersign/contract';

/** The statuses that may follow each status. A terminal status is final. */
const transitions: Readonly<Record<ActivityStatus, readonly ActivityStatus[]>> = {
  ACTIVITY_STATUS_CREATED: ['ACTIVITY_STATUS_CONSENSUS_NEEDED', 'ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_FAILED'],
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

/** Whether the activity can no longer change. */
export function isTerminal(status: ActivityStatus): boolean {
  return transitions[status].length === 0;
}

/** INVARIANT: R4: an activity only moves forward. The database also rejects any other transition. */
export function requireTransition(from: ActivityStatus, to: ActivityStatus): void {
  if (!transitions[from].includes(to)) throw new Error(`an activity cannot go from ${from} to ${to}`);
}
