import type { ActivityDetails } from '@countersign/contract';

/** Maximum size of an event. The queue, the network and the receiver carry an event once for each endpoint. */
export const MAX_EVENT_BYTES = 65_536;

/** The parts of an activity that can be large, in the order of removal. `get_activity` still returns them. */
const shorten: readonly ((activity: ActivityDetails) => ActivityDetails)[] = [
  ({ comparison: _, ...activity }) => activity,
  (activity) => ({ ...activity, votes: activity.votes.map((vote) => ({ ...vote, message: '' })) }),
  (activity) => ({ ...activity, intent: {} }),
  (activity) => ({ ...activity, result: {} }),
  ({ parsed: _, warnings: __, judgedParameters: ___, ...activity }) => ({ ...activity, votes: [] }),
];

/** The body of an event. Removes large parts until the body is within the limit. */
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
