import { randomBytes } from 'node:crypto';
import type { ActivityRecord } from '../../packages/server/src/organizations/activities/activity-record.ts';

/** The type of nearly all seeded activities. */
export const USUAL = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2';
/** The type that failed as often in a short past as in a long one. */
export const RARELY_FAILED = 'ACTIVITY_TYPE_CREATE_USER_TAG';
/** How often it did. */
const RARE_FAILURES = 3;
/** One in this many activities of the usual type failed. */
const FAILED_ONE_IN = 100;
const SPACING_MS = 1_000;

/** Real activities, which are copied to create the history. */
export interface Templates {
  readonly usual: ActivityRecord;
  readonly rare: ActivityRecord;
}

/**
 * Gives the activities of a past by number, from the oldest on: one in a second, the last of them a second ago. Recent ones are all of
 * now, and servers remember them. Ids are in the order in which they are made.
 */
export function pastOf(
  { usual, rare }: Templates,
  count: number,
  newId: () => string,
  isRecent = false,
): (number: number) => ActivityRecord {
  const spacingMs = isRecent ? 0 : SPACING_MS;
  const startMs = Date.now() - count * spacingMs;
  const rareEvery = Math.floor(count / RARE_FAILURES);
  return (number) => {
    const isRare = number % rareEvery === 0 && number / rareEvery < RARE_FAILURES;
    const isFailed = isRare || number % FAILED_ONE_IN === FAILED_ONE_IN - 1;
    const atMs = startMs + number * spacingMs;
    return {
      ...(isRare ? rare : usual),
      ...(isFailed && refused),
      id: newId(),
      // As long as a real one. A server remembers the real ones of the last hour.
      fingerprint: `${isRecent ? 'sha256' : 'seeded'}:${randomBytes(32).toString('hex')}`,
      timestampMs: String(atMs),
      createdAtMs: atMs,
      updatedAtMs: atMs,
    };
  };
}

const refused = {
  status: 'ACTIVITY_STATUS_FAILED',
  result: null,
  failure: { code: 7, errorCode: 'POLICY_DENIED', message: 'No policy allows this activity.', details: [] },
} as const satisfies Partial<ActivityRecord>;
