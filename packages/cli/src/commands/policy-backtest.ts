import type { Command } from 'commander';
import { addConnectionFlags, type ConnectionFlags, connect } from '../connection.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import type { ChangeFlags } from '../policy/change-file.ts';
import type { PastFlags } from '../policy/past-range.ts';
import type { BacktestSum } from '../policy/run-backtest.ts';
import { progressOn } from '../progress.ts';
import { SilentError } from '../silent-error.ts';
import { jsonText, paintFor, printable, printableLines } from '../terminal.ts';

const example = `
A file with a change is {"add": [policies], "update": [{"policyId": …, "policyCondition": …}], "remove": [ids]}, and for limits over
time {"velocityControls": {"add": […], "update": […], "remove": […]}}.
A policy of --policy that has the name of a stored one stands for a change of that one.
The exit code is 1 if any outcome would have been different.

Examples:
  $ countersign policy backtest --policy policies/payments.json --since 30d
  $ countersign policy backtest change.json --last 10000 --json`;

interface Flags extends ConnectionFlags, ChangeFlags, PastFlags {
  readonly user?: readonly string[];
  readonly explain: string;
  readonly json?: true;
}

/** `policy backtest`: replays past activities against changed policies. */
export function addPolicyBacktest(policy: Command, context: Context): void {
  const command = policy
    .command('backtest')
    .argument('[file]', 'a JSON file with the change')
    .summary('Replay past activities against changed policies, and show which outcomes differ')
    .option('--policy <file...>', 'policies to add; they replace policies with the same name')
    .option('--remove <id...>', 'policies to remove, by id')
    .optionsGroup('Range:')
    .option('--since <time>', 'from this day or time, or a duration ago (30d, 24h)')
    .option('--until <time>', 'before this day or time')
    .option('--last <n>', 'the newest n activities')
    .option('--type <type...>', 'only activities of these types')
    .option('--user <id...>', 'only activities that these users submitted')
    .optionsGroup('Output:')
    .option('--explain <n>', 'number of changed outcomes to explain', '3')
    .option('--json', 'print the report as JSON');
  addConnectionFlags(command)
    .addHelpText('after', example)
    .action((file: string | undefined, flags: Flags) => backtest(context, file, flags));
}

async function backtest(context: Context, file: string | undefined, flags: Flags): Promise<void> {
  const { readChange } = await import('../policy/change-file.ts');
  const { toRange } = await import('../policy/past-range.ts');
  const { runBacktest } = await import('../policy/run-backtest.ts');
  const { policy, remove, user = [], explain } = flags;
  if (file === undefined && policy === undefined && remove === undefined)
    throw new UsageError('No change was given.', 'Pass a file with the change, or policies with --policy or --remove.');
  if (!/^\d{1,4}$/.test(explain)) throw new UsageError('--explain must be a whole number.', 'Write it as --explain 10.');
  const client = connect(context, flags);
  const { shownOn, withTagIds } = await import('../policy/tag-names.ts');
  const change = await withTagIds(client, await readChange(client, file, flags), shownOn(context));
  const progress = progressOn(context, flags);
  const request = { ...change, range: toRange(flags, user, Date.now()) };
  const sum = await runBacktest(client, request, (read, total) => progress.show('judging', read, total)).finally(progress.end);
  if (flags.json) context.stdout.write(`${jsonText(sum)}\n`);
  else writeReport(context, sum, Number(explain));
  if (sum.flips.length > 0) throw new SilentError();
}

const unknowns: Readonly<Record<BacktestSum['unknown'][number]['reason'], string>> = {
  ARCHIVED: 'are in archive files',
  JUDGED_BY_PARENT: 'were authorized by the parent organization',
  NO_DECISION_KEPT: 'have no stored decision',
  NOT_UNDERSTOOD:
    'cannot be replayed: only a digest was stored, a key or wallet no longer exists, or this release parses them differently',
  NOT_REPRODUCED: 'have a replayed decision that differs from the stored one even without the change, so they are not compared',
  TOO_LONG_AGO: 'precede the part of the history that a backtest reads',
};

function writeReport(context: Context, sum: BacktestSum, explained: number): void {
  const paint = paintFor(context, context.stdout);
  const line = (text = '') => context.stdout.write(`${text}\n`);
  const mark = sum.flips.length === 0 ? paint('green', '✓') : paint('yellow', '!');
  line(`${mark} The change ${printable(sum.summary)}.`);
  for (const { before, after, reason, count } of sum.groups)
    line(`  ${`${count.toLocaleString('en-US')}`.padStart(8)}  ${before} → ${after}: ${printable(reason)}`);
  for (const { reason, count, activityIds } of sum.unknown)
    line(
      `  ${paint('yellow', `${count.toLocaleString('en-US')}`.padStart(8))}  ${unknowns[reason]}, for example ${printable(activityIds[0] ?? '')}`,
    );
  for (const note of sum.notes) line(`  ${paint('dim', printable(note))}`);
  for (const { activityId, type, before, after, explanation } of sum.flips.slice(0, explained)) {
    line(`\n${paint('bold', printable(activityId))} ${printable(type)}: ${before} → ${after}`);
    line(printableLines(explanation, '  '));
  }
  const left = sum.flips.length - explained;
  if (left > 0) line(`\n${left.toLocaleString('en-US')} more changed outcomes; --explain and --json show them.`);
}
