import { z } from 'zod';

/** Every status that an activity can have. */
export const activityStatuses = [
  'ACTIVITY_STATUS_CREATED',
  'ACTIVITY_STATUS_PENDING',
  'ACTIVITY_STATUS_COMPLETED',
  'ACTIVITY_STATUS_FAILED',
  'ACTIVITY_STATUS_CONSENSUS_NEEDED',
  'ACTIVITY_STATUS_REJECTED',
] as const;

/** The status of an activity. */
export type ActivityStatus = (typeof activityStatuses)[number];

/** The schema of a status. */
export const activityStatus = z.enum(activityStatuses).meta({ id: 'ActivityStatus' });
