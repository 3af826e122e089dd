import { type Client, headline } from '@countersign/client';
import type { Command } from 'commander';
import { addConnectionFlags, type ConnectionFlags, connect } from '../connection.ts';
import type { Context } from '../context.ts';
import { CliFault } from '../faults.ts';
import { addOutputFlags, checkQuery, type OutputFlags, writeResult } from '../output/output.ts';
import { renderSubmitted } from '../render-response.ts';
import { nextCommand } from '../shell-word.ts';
import { jsonText, paintFor, printable } from '../terminal.ts';
import { type Activity, chooseActivity, fingerprintOf, preview, waitingActivities } from '../waiting.ts';

const votes = {
  approve: { summary: 'Approve an activity that waits, after showing what it does', method: 'approveActivity' },
  reject: { summary: 'Reject an activity that waits, after showing what it does', method: 'rejectActivity' },
} as const;

type Vote = keyof typeof votes;

/** `pending`, `approve` and `reject`: what waits for people, in their words. */
export function addApprovals(program: Command, context: Context): void {
  addPending(program, context);
  for (const vote of Object.keys(votes) as Vote[]) addVote(program, context, vote);
}

function addPending(program: Command, context: Context): void {
  const command = program.command('pending').helpGroup('Approvals:').summary('List what waits for your approval');
  addOutputFlags(addConnectionFlags(command), 'print the activities as JSON')
    .option('--all', 'also what waits for others')
    .addHelpText('after', '\nExample:\n  $ countersign pending')
    .action(async (flags: ConnectionFlags & OutputFlags & { all?: true }) => {
      await checkQuery(flags);
      const waiting = await waitingActivities(connect(context, flags));
      const shown = flags.all ? waiting : waiting.filter(({ canApprove }) => canApprove);
      if (flags.json) return context.stdout.write(`${jsonText(shown)}\n`);
      await writeResult(context, flags, shown, () => describeWaiting(context, shown, waiting.length));
    });
}

function describeWaiting(context: Context, shown: readonly Activity[], waiting: number): string {
  const [first] = shown;
  if (first === undefined) return `${nothing(waiting)}\n`;
  const paint = paintFor(context, context.stdout);
  const lines = shown.map((activity) => `${paint('dim', activity.id)}  ${printable(headline(activity))}\n`);
  return `${lines.join('')}\n${paint('cyan', 'Next:')} look at one and decide:\n  ${nextCommand(['approve', first.id])}\n`;
}

const nothing = (others: number) =>
  others === 0 ? 'Nothing waits for approvals.' : `Nothing waits for you; ${others} wait for others (--all shows them).`;

function addVote(program: Command, context: Context, vote: Vote): void {
  const { summary, method } = votes[vote];
  const command = program
    .command(vote)
    .argument('[activity]', 'its id, or the beginning of it; not needed where only one waits for you')
    .helpGroup('Approvals:')
    .summary(summary);
  addConnectionFlags(command)
    .optionsGroup('Output:')
    .option('--yes', 'do not ask')
    .option('--json', 'print the response unchanged; needs --yes')
    .addHelpText('after', `\nExample:\n  $ countersign ${vote} 01981b2c-7d3e`)
    .action(async (meant: string | undefined, flags: ConnectionFlags & { yes?: true; json?: true }) => {
      const client = connect(context, flags);
      const activity = await activityToVoteOn(client, context, meant);
      const fingerprint = fingerprintOf(activity);
      if (!flags.json) {
        const options = { columns: context.stdout.columns, paint: paintFor(context, context.stdout) };
        context.stdout.write(`${preview(activity, options)}\n\n`);
      }
      if (!flags.yes && !(await agrees(context, vote))) {
        context.stdout.write('Nothing was done.\n');
        return;
      }
      const submitted = await client[method]({ fingerprint });
      context.stdout.write(flags.json ? `${jsonText(submitted)}\n` : renderSubmitted(context, submitted));
    });
}

async function agrees(context: Context, vote: Vote): Promise<boolean> {
  const answer = await context.ask(`${vote === 'approve' ? 'Approve' : 'Reject'} it? [y/N] `);
  if (answer === undefined)
    throw new CliFault(`Nobody is there to confirm the ${vote}.`, 'Give --yes to vote without a question.');
  return /^y(es)?$/i.test(answer.trim());
}

/** The named activity, or the only one that waits for this person. A person at a terminal may choose among several. */
async function activityToVoteOn(client: Client, context: Context, meant: string | undefined): Promise<Activity> {
  const waiting = await waitingActivities(client);
  if (meant !== undefined) return chooseActivity(waiting, meant);
  const own = waiting.filter(({ canApprove, canReject }) => canApprove || canReject);
  const [only, second] = own;
  if (only === undefined)
    throw new CliFault(nothing(waiting.length), 'Run "countersign pending --all" to see everything that waits.');
  if (second === undefined) return only;
  for (const [index, activity] of own.entries()) context.stderr.write(`${index + 1}. ${printable(headline(activity))}\n`);
  const answer = await context.ask(`Which one? [1-${own.length}] `);
  const chosen = /^\d+$/.test(answer?.trim() ?? '') ? own[Number(answer) - 1] : undefined;
  if (chosen === undefined)
    throw new CliFault(`${own.length} activities wait for you.`, 'Name one by its id: "countersign pending" lists them.');
  return chosen;
}
