import type { Command } from 'commander';
import { addConnectionFlags, type ConnectionFlags, connect } from '../connection.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import type { PastFlags } from '../policy/past-range.ts';
import type { Suggested } from '../policy/suggest/suggest.ts';
import { progressOn } from '../progress.ts';
import { SilentError } from '../silent-error.ts';
import { jsonText, paintFor, printable } from '../terminal.ts';

const example = `
The command creates nothing. Edit the policy, check it with 'policy check', test it with 'policy backtest --policy', and create it.
Lists of more than 20 values are omitted: a contact tag that covers all recipients is used instead, if there is one.

Example:
  $ countersign policy suggest --user 01981b2c-7d3e-7f40-8a51-6b2c3d4e5f60 --since 90d`;

interface Flags extends ConnectionFlags, PastFlags {
  readonly user?: string;
  readonly tag?: string;
  readonly json?: true;
}

/** `policy suggest`: suggests the narrowest policies that allow the past activities of a user. */
export function addPolicySuggest(policy: Command, context: Context): void {
  const command = policy
    .command('suggest')
    .summary('Suggest the narrowest policies that allow the past activities of a user, or of users with a tag')
    .option('--user <id>', 'the user')
    .option('--tag <id>', 'or the tag of users')
    .optionsGroup('Range:')
    .option('--since <time>', 'from this day or time, or a duration ago (90d)')
    .option('--until <time>', 'before this day or time')
    .option('--last <n>', 'the newest n activities')
    .option('--type <type...>', 'only activities of these types')
    .optionsGroup('Output:')
    .option('--json', 'print the policies and their evidence as JSON');
  addConnectionFlags(command)
    .addHelpText('after', example)
    .action((flags: Flags) => suggestFor(context, flags));
}

async function suggestFor(context: Context, flags: Flags): Promise<void> {
  const { toRange } = await import('../policy/past-range.ts');
  const { readPastRequests } = await import('../policy/past-requests.ts');
  const { suggest } = await import('../policy/suggest/suggest.ts');
  const { user, tag } = flags;
  const subject = user !== undefined ? { userId: user } : tag !== undefined ? { tagId: tag } : undefined;
  if (subject === undefined || (user !== undefined && tag !== undefined))
    throw new UsageError('No user or tag was given.', 'Pass either a user with --user, or a tag with --tag.');
  const progress = progressOn(context, flags);
  const request = { range: toRange(flags, user === undefined ? [] : [user], Date.now()) };
  const { requests } = await readPastRequests(connect(context, flags), request, (read, total) =>
    progress.show('reading', read, total),
  ).finally(progress.end);
  const suggested = suggest(requests, subject);
  if (flags.json) context.stdout.write(`${jsonText(suggested)}\n`);
  else write(context, suggested);
  if (suggested.suggestions.length === 0) throw new SilentError();
}

function write(context: Context, { suggestions, left }: Suggested): void {
  const paint = paintFor(context, context.stdout);
  const line = (text = '') => context.stdout.write(`${text}\n`);
  if (suggestions.length === 0) line('No activity in this range was allowed, or none that a policy can allow.');
  for (const { evidence, clauses, gaps, ...policy } of suggestions) {
    line(paint('bold', printable(policy.policyName)));
    line(`  ${evidence.activities} activities, ${evidence.first} to ${evidence.last}; tested against all of them`);
    for (const { text, why } of clauses) line(`  ${printable(text)}\n      ${paint('dim', printable(why))}`);
    line(`  consensus: ${printable(policy.consensus)}`);
    for (const gap of gaps) line(`  ${paint('yellow', '!')} ${printable(gap)}`);
    line(`\n${jsonText(policy)}\n`);
  }
  if (left.length > 0)
    line(
      `${left.length} activities are not covered: only the root quorum may perform them, or their decision depends on more than a policy sees.`,
    );
}
