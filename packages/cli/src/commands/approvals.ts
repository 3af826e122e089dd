import { type Client, headline, outcomeAfterApproval } from '@countersign/client';
import type { Command } from 'commander';
import { addConnectionFlags, type ConnectionFlags, connect } from '../connection.ts';
import type { Context } from '../context.ts';
import { CliError, UsageError } from '../errors.ts';
import { addOutputFlags, checkQuery, type OutputFlags, writeResult } from '../output/output.ts';
import {
  type Activity,
  chooseActivity,
  fingerprintOf,
  listPendingActivities,
  preview,
  wholeActivity,
} from '../pending-activities.ts';
import { renderSubmitted } from '../render-response.ts';
import { nextCommand } from '../shell-quote.ts';
import { jsonText, paintFor, printable } from '../terminal.ts';

const votes = {
  approve: { summary: 'Show a pending activity and approve it', method: 'approveActivity' },
  reject: { summary: 'Show a pending activity and reject it', method: 'rejectActivity' },
} as const;

type Vote = keyof typeof votes;

/** `pending`, `approve` and `reject`: pending approvals. */
export function addApprovals(program: Command, context: Context): void {
  addPending(program, context);
  for (const vote of Object.keys(votes) as Vote[]) addVote(program, context, vote);
}

function addPending(program: Command, context: Context): void {
  const command = program.command('pending').helpGroup('Approvals:').summary('List activities that need your approval');
  addOutputFlags(addConnectionFlags(command), 'print the activities as JSON')
    .option('--all', 'also list activities that need the approval of others')
    .addHelpText('after', '\nExample:\n  $ countersign pending')
    .action(async (flags: ConnectionFlags & OutputFlags & { all?: true }) => {
      await checkQuery(flags);
      const pending = await listPendingActivities(connect(context, flags));
      const shown = flags.all ? pending : pending.filter(({ canApprove }) => canApprove);
      if (flags.json) return context.stdout.write(`${jsonText(shown)}\n`);
      await writeResult(context, flags, shown, () => describePending(context, shown, pending.length));
    });
}

function describePending(context: Context, shown: readonly Activity[], pending: number): string {
  const [first] = shown;
  if (first === undefined) return `${nothing(pending)}\n`;
  const paint = paintFor(context, context.stdout);
  const lines = shown.map((activity) => `${paint('dim', activity.id)}  ${printable(headline(activity))}\n`);
  return `${lines.join('')}\n${paint('cyan', 'Next:')} review and approve the first one:\n  ${nextCommand(['approve', first.id])}\n`;
}

const nothing = (others: number) =>
  others === 0 ? 'No pending approvals.' : `No approvals pending for you. ${others} pending for others (--all lists them).`;

function addVote(program: Command, context: Context, vote: Vote): void {
  const { summary, method } = votes[vote];
  const command = program
    .command(vote)
    .argument('[activity]', 'id or id prefix; optional if only one activity needs your approval')
    .helpGroup('Approvals:')
    .summary(summary);
  addConnectionFlags(command)
    .optionsGroup('Output:')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print the response unchanged; needs --yes')
    .addHelpText('after', `\nExample:\n  $ countersign ${vote} 01981b2c-7d3e`)
    .action(async (reference: string | undefined, flags: ConnectionFlags & { yes?: true; json?: true }) => {
      const client = connect(context, flags);
      const activity = await wholeActivity(client, await activityToVoteOn(client, context, reference));
      const fingerprint = fingerprintOf(activity);
      if (!flags.json) {
        const options = { columns: context.stdout.columns, paint: paintFor(context, context.stdout) };
        context.stdout.write(`${preview(activity, options)}\n\n`);
      }
      if (!flags.yes && !(await agrees(context, vote))) {
        context.stdout.write('No vote was sent.\n');
        return;
      }
      const submitted = await client[method]({ fingerprint });
      if (flags.json) return context.stdout.write(`${jsonText(submitted)}\n`);
      context.stdout.write(renderSubmitted(context, submitted));
      if (vote === 'approve') await showOutcome(client, context, activity.id);
    });
}

/** Shows what came of an approved activity. The response to a vote has neither the reason of a failure nor the hash. */
async function showOutcome(client: Client, context: Context, activityId: string): Promise<void> {
  const { activity } = await client.getActivity({ activityId });
  const { status, transactionHash } = activity;
  if (status === 'ACTIVITY_STATUS_FAILED')
    throw new CliError(
      printable(outcomeAfterApproval(activity)),
      `Run "countersign explain ${activityId}" to see how it was decided.`,
    );
  const hash = transactionHash === undefined ? '' : `Transaction hash: ${printable(transactionHash)}\n`;
  context.stdout.write(`\n${outcomeAfterApproval(activity)}\n${hash}`);
}

async function agrees(context: Context, vote: Vote): Promise<boolean> {
  const answer = await context.ask(`${vote === 'approve' ? 'Approve' : 'Reject'} it? [y/N] `);
  if (answer === undefined) throw new UsageError('Confirmation requires a terminal.', `Pass --yes to ${vote} without one.`);
  return /^y(es)?$/i.test(answer.trim());
}

/** The activity with the given id, or the only one that the user can vote on. If there are several, a terminal user chooses one. */
async function activityToVoteOn(client: Client, context: Context, reference: string | undefined): Promise<Activity> {
  const pending = await listPendingActivities(client);
  if (reference !== undefined) return chooseActivity(pending, reference);
  const own = pending.filter(({ canApprove, canReject }) => canApprove || canReject);
  const [only, second] = own;
  if (only === undefined)
    throw new CliError(nothing(pending.length), 'Run "countersign pending --all" to list all pending activities.');
  if (second === undefined) return only;
  for (const [index, activity] of own.entries()) context.stderr.write(`${index + 1}. ${printable(headline(activity))}\n`);
  const answer = await context.ask(`Which one? [1-${own.length}] `);
  const chosen = /^\d+$/.test(answer?.trim() ?? '') ? own[Number(answer) - 1] : undefined;
  if (chosen === undefined)
    throw new UsageError(`${own.length} activities need your approval.`, 'Pass the id of one: "countersign pending" lists them.');
  return chosen;
}
