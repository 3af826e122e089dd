import type { Command } from 'commander';
import { addConnectionFlags, type ConnectionFlags, connect } from '../connection.ts';
import type { Context } from '../context.ts';
import { jsonText, paintFor, printable } from '../terminal.ts';

const example = `
Example:
  $ countersign policy review`;

/** `policy review`: stored policies that allow less than in an earlier release. */
export function addPolicyReview(policy: Command, context: Context): void {
  const command = policy
    .command('review')
    .summary('List stored policies that allow less than in an earlier release, each with a request whose decision changes')
    .option('--json', 'print the policies as JSON');
  addConnectionFlags(command)
    .addHelpText('after', example)
    .action((flags: ConnectionFlags & { json?: true }) => review(context, flags));
}

async function review(context: Context, flags: ConnectionFlags & { json?: true }): Promise<void> {
  const { reviewPolicies } = await import('../policy/review.ts');
  const { policies } = await connect(context, flags).listPolicies({});
  const changed = reviewPolicies(policies, Date.now());
  if (flags.json) {
    context.stdout.write(`${jsonText(changed)}\n`);
    return;
  }
  const paint = paintFor(context, context.stdout);
  for (const { policyName, changes } of changed) {
    context.stdout.write(`${paint('yellow', '!')} ${printable(policyName)}\n`);
    for (const { request, harm } of changes) context.stdout.write(`    ALLOW → DENY  ${printable(`${request}: ${harm}`)}\n`);
  }
  context.stdout.write(`${changed.length} of ${policies.length} policies allow less than before\n`);
}
