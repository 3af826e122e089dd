import { type Client, headline, items, type ListedActivity, type PageRequest, stampedRequest } from '@countersign/client';
import { authorizationFields, changeLines } from './activity-words.ts';
import { CliError, NotFoundError, UsageError } from './errors.ts';
import { type RenderOptions, renderFields } from './render.ts';
import { printableLines } from './terminal.ts';

/** An activity as the service lists it. */
export type Activity = ListedActivity;

/** Pending activities, newest first. */
export async function listPendingActivities(client: Client): Promise<Activity[]> {
  const listPending = (page: PageRequest) =>
    client.listActivities({ filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'], ...page });
  const found: Activity[] = [];
  for await (const activity of items(listPending, 'activities', ({ id }) => id)) found.push(activity);
  return found;
}

/** The whole activity. A list leaves out long parameters. */
export async function wholeActivity(client: Client, activity: Activity): Promise<Activity> {
  return activity.shortened === undefined ? activity : (await client.getActivity({ activityId: activity.id })).activity;
}

/** Finds an activity by id, id prefix or fingerprint. Throws `NotFoundError` if none matches, and `UsageError` if several do. */
export function chooseActivity(activities: readonly Activity[], reference: string): Activity {
  const exact = activities.find(({ id, fingerprint }) => id === reference || fingerprint === reference);
  if (exact !== undefined) return exact;
  const [only, second] = activities.filter(({ id }) => id.startsWith(reference.toLowerCase()));
  if (only === undefined) {
    throw new NotFoundError(
      `No pending activity has the id prefix ${reference}.`,
      'Run "countersign pending --all" to list them.',
    );
  }
  if (second !== undefined) {
    throw new UsageError(
      `Several activities have the id prefix ${reference}.`,
      'Pass more of the id: "countersign pending --all" lists them.',
    );
  }
  return only;
}

/**
 * Preview of an activity before a vote: description, parameters and voters.
 * SECURITY: A70: the parameters come from the stamped message. The service's interpretation is shown separately.
 */
export function preview(activity: Activity, options: RenderOptions): string {
  const { id, createdAt, votes, warnings, judgedParameters } = activity;
  const approvedBy = votes.map(({ user, selection }) =>
    selection === 'VOTE_SELECTION_APPROVED' ? user.userName : `${user.userName} (rejected)`,
  );
  const { parameters, reference } = stampedRequest(activity) ?? {};
  const fields = {
    activity: id,
    since: createdAt,
    approvedBy: approvedBy.join(', '),
    ...authorizationFields(activity),
    changes: changeLines(activity),
    // SECURITY: D968: on a line of its own, under a name that says whose words they are.
    ...(reference !== undefined && { requesterWrites: reference }),
    parameters,
    judgedParameters,
    warnings,
  };
  return `${options.paint('bold', printableLines(headline(activity)))}\n${renderFields(fields, options)}`;
}

/**
 * The fingerprint to vote on, computed from the message that the first person stamped.
 * SECURITY: detects a service that shows one activity under the fingerprint of another.
 */
export function fingerprintOf(activity: Activity): string {
  if (stampedRequest(activity) !== undefined) return activity.fingerprint;
  throw new CliError(
    `The service shows activity ${activity.id} with a fingerprint that does not belong to it.`,
    'Do not approve anything, and contact the operator of the service.',
  );
}
