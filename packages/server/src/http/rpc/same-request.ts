import { createHash } from 'node:crypto';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import type { PipelineServices } from '../../pipeline/services.ts';
import { type RpcOperation, rpcBodyEnd, rpcBodyStart } from '../../vault/keys/rpc-key.ts';
import type { RpcCaller } from './rpc-caller.ts';

/** Shorter than a stamped body lives, by the time of a wait. */
const PERIOD_MS = 50 * 60 * 1000;
/** Together with the current one, more than 24 hours. */
const EARLIER_PERIODS = 29;
/** How many failures of a request in one earlier period are seen. */
const EARLIER_ATTEMPTS = 2;
/** How many failures in the current period one lookup covers. The first lookup fits into one statement. */
const ATTEMPTS = 6;
const MANY_ATTEMPTS = 64;

type Signing = Extract<RpcOperation, { readonly activity: unknown }>;

/** Where a call belongs: to an activity of an earlier period, or to the body with this time. */
export type Place =
  | { readonly earlier: ActivityRecord }
  | { readonly timestampMs: number; readonly known: ActivityRecord | undefined };

/**
 * Finds the activity of an equal call within 24 hours, unless that failed; otherwise the time of the body to submit.
 * INVARIANT: D783: equal calls of a user within a period have equal bodies, on every node and after a restart. So the pipeline executes
 * them once, and a client that repeats a request gets its activity.
 * SECURITY: D792: a caller can choose a key header that makes a body equal to that of another user, and after an accepted loss all have
 * one time. The activity of another user is passed over.
 */
export async function placeOf(
  { organizations, clock, log }: Pick<PipelineServices, 'organizations' | 'clock' | 'log'>,
  caller: RpcCaller,
  operation: Omit<Signing, 'timestampMs'>,
  idempotencyKey: string,
): Promise<Place> {
  const { organizationId, userId } = caller;
  const start = createHash('sha256').update(rpcBodyStart(organizationId, { ...operation, timestampMs: 0 } as Signing));
  const fingerprintAt = (timestampMs: number) => `sha256:${start.copy().update(rpcBodyEnd(timestampMs)).digest('hex')}`;
  const find = (fingerprints: readonly string[]) => organizations.activities.byFingerprints(organizationId, fingerprints);

  const answers = (record: ActivityRecord) => !hasFailed(record) && record.votes[0]?.userId === userId;

  const nowMs = clock.nowMs();
  const shift = shiftOf(userId, idempotencyKey);
  const begins = Math.floor((nowMs - shift) / PERIOD_MS) * PERIOD_MS + shift;
  // A body from before an accepted loss would be rejected.
  const current = Math.max(begins, log.installation.lossAcceptedAtMs() + 1);
  const earlier = Array.from({ length: EARLIER_PERIODS * EARLIER_ATTEMPTS }, (_, index) =>
    fingerprintAt(begins - (1 + Math.floor(index / EARLIER_ATTEMPTS)) * PERIOD_MS + (index % EARLIER_ATTEMPTS)),
  );
  const attempts = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => fingerprintAt(current + from + index));
  const found = new Map((await find([...attempts(0, ATTEMPTS), ...earlier])).map((record) => [record.fingerprint, record]));
  const before = earlier.map((fingerprint) => found.get(fingerprint)).find((record) => record !== undefined && answers(record));
  if (before !== undefined) return { earlier: before };
  for (let attempt = 0; ; attempt++) {
    if (attempt >= ATTEMPTS && (attempt - ATTEMPTS) % MANY_ATTEMPTS === 0)
      for (const record of await find(attempts(attempt, MANY_ATTEMPTS))) found.set(record.fingerprint, record);
    const known = found.get(fingerprintAt(current + attempt));
    if (known === undefined || answers(known)) return { timestampMs: current + attempt, known };
  }
}

/** A failed request may succeed later, with other policies. One that approvers rejected is not sent to them again. */
function hasFailed({ status }: ActivityRecord): boolean {
  return status === 'ACTIVITY_STATUS_FAILED';
}

/** Different users, and different keys of a user, have different bodies for the same content. */
function shiftOf(userId: string, idempotencyKey: string): number {
  return createHash('sha256').update(`${userId}\n${idempotencyKey}`).digest().readUInt32BE(0) % PERIOD_MS;
}
