import { type Client, headline, items, type ListedActivity, type PageRequest, stampedRequest } from '@countersign/client';
import { CliFault } from './faults.ts';
import { type RenderOptions, renderFields } from './render.ts';
import { printableLines } from './terminal.ts';

/** An activity as the service lists it. */
export type Activity = ListedActivity;

/** The activities that wait for approvals, newest first. */
export async function waitingActivities(client: Client): Promise<Activity[]> {
  const waiting = (page: PageRequest) => client.listActivities({ filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'], ...page });
  const found: Activity[] = [];
  for await (const activity of items(waiting, 'activities', ({ id }) => id)) found.push(activity);
  return found;
}

/** The one that a person means by its id, the beginning of it, or its fingerprint. Throws CliFault where that is none or several. */
export function chooseActivity(activities: readonly Activity[], meant: string): Activity {
  const exact = activities.find(({ id, fingerprint }) => id === meant || fingerprint === meant);
  if (exact !== undefined) return exact;
  const [only, second] = activities.filter(({ id }) => id.startsWith(meant.toLowerCase()));
  if (only === undefined) {
    throw new CliFault(`No activity that waits begins with ${meant}.`, 'Run "countersign pending --all" to see them.');
  }
  if (second !== undefined) {
    throw new CliFault(`Several activities begin with ${meant}.`, 'Give more of the id: "countersign pending --all" lists them.');
  }
  return only;
}

/**
 * Everything to decide on: the sentence, the parameters, and who voted.
 * SECURITY: A70: the parameters are those in the stamped message. What the service made of them stands apart.
 */
export function preview(activity: Activity, options: RenderOptions): string {
  const { id, createdAt, votes, warnings, judgedParameters } = activity;
  const approvedBy = votes.map(({ user, selection }) =>
    selection === 'VOTE_SELECTION_APPROVED' ? user.userName : `${user.userName} (rejected)`,
  );
  const parameters = stampedRequest(activity)?.parameters;
  const fields = { activity: id, since: createdAt, approvedBy: approvedBy.join(', '), parameters, judgedParameters, warnings };
  return `${options.paint('bold', printableLines(headline(activity)))}\n${renderFields(fields, options)}`;
}

/**
 * The fingerprint to vote on, from the very message that the first person stamped.
 * SECURITY: a service that shows one activity under the fingerprint of another is found out here.
 */
export function fingerprintOf(activity: Activity): string {
  if (stampedRequest(activity) !== undefined) return activity.fingerprint;
  throw new CliFault(
    `The service shows activity ${activity.id} with a fingerprint that does not belong to it.`,
    'Approve nothing, and tell whoever runs the service.',
  );
}
