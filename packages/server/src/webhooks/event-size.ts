/** What an event may weigh: the queue, the network and the receiver carry it once for each endpoint. */
export const MAX_EVENT_BYTES = 65_536;

/** The parts of an activity that can be large, in the order in which they are left out. `get_activity` has them. */
const shorten: readonly ((activity: Activity) => Activity)[] = [
  (activity) => ({ ...activity, votes: activity.votes.map((vote) => ({ ...vote, message: '' })) }),
  (activity) => ({ ...activity, intent: {} }),
  (activity) => ({ ...activity, result: {} }),
  ({ parsed: _, warnings: __, ...activity }) => ({ ...activity, votes: [] }),
];

interface Activity {
  readonly votes: readonly { readonly message: string }[];
  readonly intent: unknown;
  readonly result: unknown;
  readonly parsed?: unknown;
  readonly warnings?: unknown;
}

/** The body of an event, without as many of its large parts as it takes to stay below the limit. */
export function withinLimit(body: string): string {
  let shown = body;
  let activity: Activity | undefined;
  for (const step of shorten) {
    if (Buffer.byteLength(shown) <= MAX_EVENT_BYTES) return shown;
    activity = step(activity ?? (JSON.parse(body) as Activity));
    shown = JSON.stringify(activity);
  }
  return shown;
}
