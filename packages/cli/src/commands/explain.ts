import { outcomeAfterApproval } from '@countersign/client';
import type { Command } from 'commander';
import { changeLines } from '../activity-words.ts';
import { addConnectionFlags, type ConnectionFlags, connect } from '../connection.ts';
import type { Context } from '../context.ts';
import { activityKind, idOf } from '../names.ts';
import { jsonText, paintFor, printable, printableLines } from '../terminal.ts';

const example = `
Example:
  $ countersign explain 01981b2c-7d3e`;

/** `explain`: shows why an activity was allowed, denied or kept pending, as a tree. */
export function addExplain(program: Command, context: Context): void {
  const command = program
    .command('explain')
    .argument('<activity>', 'id or id prefix of the activity')
    .helpGroup('Policies:')
    .summary('Show why an activity was allowed, denied or kept pending');
  addConnectionFlags(command)
    .optionsGroup('Output:')
    .option('--json', 'print the decisions as JSON')
    .addHelpText('after', example)
    .action(async (reference: string, flags: ConnectionFlags & { json?: true }) => {
      const client = connect(context, flags);
      const { id: activityId } = await idOf(client, activityKind, reference);
      const { decisions } = await client.explainActivity({ activityId });
      if (flags.json) {
        context.stdout.write(`${jsonText(decisions)}\n`);
        return;
      }
      const { activity } = await client.getActivity({ activityId });
      const paint = paintFor(context, context.stdout);
      const line = (text: string) => context.stdout.write(`${text}\n`);
      line(`${printable(activity.type)} ${paint('bold', printable(activity.status))}`);
      if (activity.parsed !== undefined) line(printableLines(activity.parsed.description));
      for (const text of changeLines(activity) ?? []) line(printable(text));
      const { demanded, decided } = activity.authorization ?? {};
      for (const decision of [demanded, decided]) if (decision !== undefined) line(printable(decision.text));
      if (activity.transactionHash !== undefined) {
        line(printable(outcomeAfterApproval(activity)));
        line(`Transaction hash: ${printable(activity.transactionHash)}`);
      }
      if (activity.failure) line(paint('red', printable(`Failed: ${activity.failure.message}`)));
      for (const [index, { text }] of decisions.entries()) {
        const vote = activity.votes[index];
        line(`\nvote ${index + 1}${vote === undefined ? '' : ` by ${printable(vote.user.userName)}`}`);
        line(printableLines(text));
      }
    });
}
