import { CountersignError } from './errors.ts';
import { pause } from './pause.ts';
import type { Client, Submitted } from './types.ts';

export interface WaitOptions {
  readonly signal?: AbortSignal;
  /** Timeout. A day by default. */
  readonly timeoutMs?: number;
  /** Initial poll interval. It grows up to ten seconds. */
  readonly everyMs?: number;
}

const DAY_MS = 86_400_000;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Waits until an activity is decided, and returns it when it is completed.
 * Throws CountersignError `ACTIVITY_REJECTED`, `ACTIVITY_FAILED`, or `TIMEOUT` if it is still pending.
 */
export async function waitForApproval(
  client: Pick<Client, 'getActivity'>,
  {
    activity: { id: activityId, organizationId },
  }: { readonly activity: { readonly id: string; readonly organizationId: string } },
  { signal, timeoutMs = DAY_MS, everyMs = 500 }: WaitOptions = {},
): Promise<Awaited<ReturnType<Client['getActivity']>>['activity']> {
  const until = Date.now() + timeoutMs;
  for (let pauseMs = everyMs; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    const { activity } = await client.getActivity({ activityId, organizationId }, signal ? { signal } : {});
    switch (activity.status) {
      case 'ACTIVITY_STATUS_COMPLETED':
        return activity;
      case 'ACTIVITY_STATUS_REJECTED':
        throw new CountersignError(200, 'ACTIVITY_REJECTED', `Activity ${activityId} was rejected.`);
      case 'ACTIVITY_STATUS_FAILED':
        throw new CountersignError(200, 'ACTIVITY_FAILED', `Activity ${activityId} failed.`, { details: [activity.failure] });
    }
    if (Date.now() + pauseMs > until) {
      throw new CountersignError(200, 'TIMEOUT', `Activity ${activityId} is still pending: its status is ${activity.status}.`);
    }
    await pause(pauseMs, signal);
  }
}

/**
 * The result of a submitted activity, immediately or after approval. Throws like waitForApproval.
 * `signature = await resultWhenApproved(client, await client.signRawPayload(…))`
 */
export async function resultWhenApproved<Result>(
  client: Pick<Client, 'getActivity'>,
  submitted: Submitted<unknown, Result>,
  options?: WaitOptions,
): Promise<Result> {
  if (submitted.result !== undefined) return submitted.result;
  const { id, result } = await waitForApproval(client, submitted, options);
  const [only] = Object.values(result);
  if (only === undefined) throw new CountersignError(200, 'RESPONSE_INVALID', `Activity ${id} is completed but has no result.`);
  return only as Result;
}
