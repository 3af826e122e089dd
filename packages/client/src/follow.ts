/** One step of an activity: it was submitted, got a vote, or ended. */
export interface ActivityStep {
  /** The number of the step among all of the organization. The first is 1, and none is left out. */
  readonly sequence: number;
  readonly activityId: string;
  readonly type: string;
  readonly status: string;
  readonly fingerprint: string;
  /** When it happened, in milliseconds since 1970, by the clock of the node that did it. */
  readonly timeMs: number;
}

/** Which entries of the log to give. */
export interface LogRange {
  readonly from: string;
  readonly limit: string;
  readonly waitSeconds?: string;
}

export interface FollowOptions {
  /** Goes on for as long as the loop does: each request waits at the service until there is a step. Without it, the steps end with now. */
  readonly follow?: boolean;
  /** Ends the loop, with the error of the signal. */
  readonly signal?: AbortSignal;
}

/** The most entries of a page. */
const LIMIT = 1000;
/** The longest that the service lets a request wait. */
const WAIT_SECONDS = '25';

/**
 * Every step of every activity from a number on, in the order in which the service made them durable, up to now:
 * `for await (const step of activitySteps(client.listLogEntries, lastSequence + 1))`. Call it again later to go on, or let it wait for
 * more with `{ follow: true }`: a step then comes within a moment. After an error, call it again from the last step that it gave.
 * `listActivities` is in the order of ids, which come from the clocks of several nodes: an activity may appear there before one that was
 * seen already, and whoever follows it by a cursor misses that one. Here nobody misses any. Throws if a number is left out.
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
      if (sequence !== next) throw new Error(`step ${next} of the organization is missing: the service gave step ${sequence}`);
      yield { sequence, activityId, type, status, fingerprint, timeMs };
      next++;
    }
    if (entries.length < LIMIT && !follow) return;
  }
}
