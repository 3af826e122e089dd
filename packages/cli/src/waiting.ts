import { createHash } from 'node:crypto';
import { type Client, items, type PageRequest } from '@countersign/client';
import { CliFault } from './faults.ts';
import { type RenderOptions, renderFields } from './render.ts';
import { printableLines } from './terminal.ts';

/** An activity as the service lists it. */
export type Activity = Awaited<ReturnType<Client['getActivity']>>['activity'];

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

/** What an activity asks for, in one line. */
export function headline({ type, parsed, votes }: Activity): string {
  const who = votes[0]?.user.userName;
  const what = parsed?.description ?? words(type);
  return `${who === undefined ? '' : `${who} asks: `}${what}`.replace(/\s*\n\s*/g, ' ');
}

const words = (type: string) =>
  type
    .replace('ACTIVITY_TYPE_', '')
    .replace(/_V\d+$/, '')
    .toLowerCase()
    .replaceAll('_', ' ');

/** Everything to decide on: the sentence, the parameters, and who voted. */
export function preview(activity: Activity, options: RenderOptions): string {
  const { id, createdAt, intent, votes, warnings, judgedParameters } = activity;
  const approvedBy = votes.map(({ user, selection }) =>
    selection === 'VOTE_SELECTION_APPROVED' ? user.userName : `${user.userName} (rejected)`,
  );
  const [parameters] = Object.values(intent);
  const fields = { activity: id, since: createdAt, approvedBy: approvedBy.join(', '), parameters, judgedParameters, warnings };
  return `${options.paint('bold', printableLines(headline(activity)))}\n${renderFields(fields, options)}`;
}

/**
 * The fingerprint to vote on, from the very message that the first person stamped.
 * SECURITY: a service that shows one activity under the fingerprint of another is found out here.
 */
export function fingerprintOf({ id, votes, type, fingerprint }: Activity): string {
  const message = votes[0]?.message ?? '';
  const own = `sha256:${createHash('sha256').update(message).digest('hex')}`;
  if (own !== fingerprint || stampedType(message) !== type) {
    throw new CliFault(
      `The service shows activity ${id} with a fingerprint that does not belong to it.`,
      'Approve nothing, and tell whoever runs the service.',
    );
  }
  return fingerprint;
}

function stampedType(message: string): unknown {
  try {
    return (JSON.parse(message) as { type?: unknown } | null)?.type;
  } catch {
    // Not JSON, so it is of no type.
    return undefined;
  }
}
