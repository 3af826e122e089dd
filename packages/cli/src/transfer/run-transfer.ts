import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, submitCall } from '@countersign/client';
import type { ActivityDefinition, ActivityDetails } from '@countersign/contract';
import type { Context } from '../context.ts';
import { CliError } from '../errors.ts';
import { nextCommand } from '../shell-quote.ts';
import { paintFor, printable } from '../terminal.ts';

/** Poll interval of a pending activity. */
const POLL_MS = 2000;

/**
 * Submits an activity and returns its result. Waits for approvals if needed, because the key that decrypts the result is only in
 * this process's memory. Writes warnings to standard error. Throws CliError if the activity ends without a result, or the user stops
 * the command.
 */
export async function runTransfer(
  context: Context,
  client: Client,
  definition: ActivityDefinition,
  parameters: object,
): Promise<Record<string, unknown>> {
  const { path, body, read } = submitCall(definition, parameters, client);
  const { activity: submitted } = read(await client.request(path, body));
  if (submitted.status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED') reportPending(context, submitted.id);
  const activity = await untilEnded(context, client, submitted.id);
  if (activity.status !== 'ACTIVITY_STATUS_COMPLETED') {
    const how = activity.status.replace('ACTIVITY_STATUS_', '').toLowerCase().replaceAll('_', ' ');
    throw new CliError(
      `Activity ${activity.id} is ${how}${activity.failure ? `: ${activity.failure.message}` : ''}.`,
      'No secret was transferred. Fix the cause, then run the command again.',
    );
  }
  for (const warning of activity.warnings ?? [])
    context.stderr.write(`${paintFor(context, context.stderr)('yellow', 'Note:')}  ${printable(warning)}\n`);
  return Object.values(activity.result)[0] as Record<string, unknown>;
}

function reportPending(context: Context, activityId: string): void {
  const { stderr } = context;
  stderr.write(
    `${paintFor(context, stderr)('cyan', 'Waiting')} for approvals. Another user can approve it with:\n` +
      `  ${nextCommand(['approve', activityId])}\n` +
      'This command continues after the approval. If you stop it earlier, submit the activity again.\n',
  );
}

async function untilEnded(context: Context, client: Client, activityId: string): Promise<ActivityDetails> {
  let stopped = false;
  let stop: Promise<void> | undefined;
  for (;;) {
    const { activity } = await client.getActivity({ activityId });
    if (activity.status !== 'ACTIVITY_STATUS_CONSENSUS_NEEDED' || stopped) return activity;
    stop ??= context.untilStopped().then(() => {
      stopped = true;
    });
    await Promise.race([stop, sleep(POLL_MS)]);
  }
}
