import type { ActivityDetails } from '@countersign/contract';

/** What an event may weigh: the queue, the network and the receiver carry it once for each endpoint. */
export const MAX_EVENT_BYTES = 65_536;

/** The parts of an activity that can be large, in the order in which they are left out. `get_activity` has them. */
const shorten: readonly ((activity: ActivityDetails) => ActivityDetails)[] = [
  (activity) => ({ ...activity, votes: activity.votes.map((vote) => ({ ...vote, message: '' })) }),
  (activity) => ({ ...activity, intent: {} }),
  (activity) => ({ ...activity, result: {} }),
  ({ parsed: _, warnings: __, ...activity }) => ({ ...activity, votes: [] }),
];

/** The body of an event, without as many of its large parts as it takes to stay below the limit. */
export function withinLimit(activity: ActivityDetails): string {
  let shown = activity;
  let body = JSON.stringify(shown);
  for (const step of shorten) {
    if (Buffer.byteLength(body) <= MAX_EVENT_BYTES) return body;
    shown = step(shown);
    body = JSON.stringify(shown);
  }
  return body;
}
