import type { Queries } from '@countersign/contract';
import type { InputOf, OutputOf } from './types.ts';

/** One step of an activity: its submission, a vote, or its end. */
export interface ActivityStep {
  /** Sequence number within the organization. It starts at 1. Changes that the service makes without a request have numbers too. */
  readonly sequence: number;
  readonly activityId: string;
  readonly type: string;
  readonly status: string;
  readonly fingerprint: string;
  /** Time in milliseconds since 1970, by the clock of the executing node. */
  readonly timeMs: number;
}

/** Range of log entries. */
export interface LogRange {
  readonly from: string;
  readonly limit: string;
  readonly waitSeconds?: string;
}

export interface FollowOptions {
  /** Long-polls for new steps until the loop ends. Without it, the iteration ends at the newest step. */
  readonly follow?: boolean;
  /** Aborts the loop with the reason of the signal. */
  readonly signal?: AbortSignal;
}

/** Maximum entries per page. */
const LIMIT = 1000;
/** Maximum long-poll duration of the service. */
const WAIT_SECONDS = '25';

/**
 * Every step of every activity from a sequence number, in commit order, up to the newest one:
 * `for await (const step of activitySteps(client.listLogEntries, lastSequence + 1))`. Call it again later to continue, or pass
 * `{ follow: true }` to wait for new steps. After an error, call it again from the last step.
 * `listActivities` is ordered by ids, which come from the clocks of several nodes: a new activity may sort before one that you have seen,
 * so a cursor can miss it. This iteration misses none. Throws if a sequence number is missing.
 */
export async function* activitySteps(
  listLogEntries: (
    range: LogRange,
    options?: { readonly signal?: AbortSignal },
  ) => Promise<{ readonly entries: readonly { readonly opening: string }[] }>,
  from = 1,
  { follow = false, signal }: FollowOptions = {},
): AsyncGenerator<ActivityStep> {
  for (let next = from; ; ) {
    signal?.throwIfAborted();
    const range = { from: String(next), limit: String(LIMIT), ...(follow && { waitSeconds: WAIT_SECONDS }) };
    const { entries } = await listLogEntries(range, signal && { signal });
    for (const { opening } of entries) {
      const { sequence, activityId, type, status, fingerprint, timeMs } = JSON.parse(opening) as ActivityStep;
      if (sequence !== next)
        throw new Error(`step ${next} of the organization is missing: the service returned step ${sequence}`);
      next++;
      // Changes that the service made without a request have leaves too.
      if (type.startsWith('ACTIVITY_TYPE_')) yield { sequence, activityId, type, status, fingerprint, timeMs };
    }
    if (entries.length < LIMIT && !follow) return;
  }
}

/** An update of an activity, as `listEvents` returns it. */
export type ActivityEvent = OutputOf<Queries['listEvents']>['events'][number];

/** Range and filters of events. */
type EventRange = InputOf<Queries['listEvents']>;

export interface EventOptions extends FollowOptions, Pick<EventRange, 'filterByStatus' | 'filterByType'> {}

/**
 * Every update of every activity from a sequence number, in commit order, each with its activity:
 * `for await (const event of activityEvents(client.listEvents, next))`. To resume after an error or a restart, call it again with
 * `Number(event.sequence) + 1` of the last event that was processed: none is missed, none comes twice.
 */
export async function* activityEvents(
  listEvents: (range: EventRange, options?: { readonly signal?: AbortSignal }) => Promise<OutputOf<Queries['listEvents']>>,
  from = 1,
  { follow = false, signal, filterByStatus, filterByType }: EventOptions = {},
): AsyncGenerator<ActivityEvent> {
  const filters = { ...(filterByStatus && { filterByStatus }), ...(filterByType && { filterByType }) };
  for (let next = String(from); ; ) {
    signal?.throwIfAborted();
    const range = { from: next, ...filters, ...(follow && { waitSeconds: WAIT_SECONDS }) };
    const page = await listEvents(range, signal && { signal });
    yield* page.events;
    if (page.isNewest && !follow) return;
    next = page.next;
  }
}
