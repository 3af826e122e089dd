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
}

/** The most entries of a page. */
const LIMIT = 1000;

/**
 * Every step of every activity from a number on, in the order in which the service made them durable, up to now:
 * `for await (const step of activitySteps(client.listLogEntries, lastSequence + 1))`. Call it again later to go on.
 * `listActivities` is in the order of ids, which come from the clocks of several nodes: an activity may appear there before one that was
 * seen already, and whoever follows it by a cursor misses that one. Here nobody misses any. Throws if a number is left out.
 */
export async function* activitySteps(
  listLogEntries: (range: LogRange) => Promise<{ readonly entries: readonly { readonly opening: string }[] }>,
  from = 1,
): AsyncGenerator<ActivityStep> {
  for (let next = from; ; ) {
    const { entries } = await listLogEntries({ from: String(next), limit: String(LIMIT) });
    for (const { opening } of entries) {
      const { sequence, activityId, type, status, fingerprint, timeMs } = JSON.parse(opening) as ActivityStep;
      if (sequence !== next) throw new Error(`step ${next} of the organization is missing: the service gave step ${sequence}`);
      yield { sequence, activityId, type, status, fingerprint, timeMs };
      next++;
    }
    if (entries.length < LIMIT) return;
  }
}
