import { items } from '@countersign/client';
import type { Command } from 'commander';
import { addConnectionFlags, type ConnectionFlags, connect } from '../connection.ts';
import type { Context } from '../context.ts';
import type { ReviewedLimit, ReviewedOrganization } from '../policy/review.ts';
import { jsonText, paintFor, printable } from '../terminal.ts';

const example = `
Example:
  $ countersign policy review`;

/** `policy review`: stored policies that allow less than in an earlier release, names that count less, and limits by its rules. */
export function addPolicyReview(policy: Command, context: Context): void {
  const command = policy
    .command('review')
    .summary(
      'List stored policies that allow less than in an earlier release or can be avoided, tokens, contacts and descriptors that count less, and limits that count by earlier rules',
    )
    .option('--json', 'print the policies, names and limits as JSON');
  addConnectionFlags(command)
    .addHelpText('after', example)
    .action((flags: ConnectionFlags & { json?: true }) => review(context, flags));
}

async function review(context: Context, flags: ConnectionFlags & { json?: true }): Promise<void> {
  const { allPolicies, reviewLimits, reviewNames, reviewPolicies } = await import('../policy/review.ts');
  const client = connect(context, flags);
  const policies = await allPolicies(client);
  const { features } = (await client.getOrganizationConfigs({})).configs;
  const controls: ReviewedOrganization['controls'][number][] = [];
  const ids = ({ velocityControlId }: { readonly velocityControlId: string }) => velocityControlId;
  for await (const control of items(client.listVelocityControls, 'velocityControls', ids)) controls.push(control);
  const reviewed = reviewPolicies(policies, Date.now(), { features, controls });
  const { tokens } = await client.listTokens({});
  const { contacts } = await client.listContacts({});
  const { smartContractInterfaces: interfaces } = await client.listSmartContractInterfaces({});
  const names = reviewNames({ tokens, contacts, interfaces });
  const limits = reviewLimits(policies, Date.now(), { features, controls });
  if (flags.json) {
    context.stdout.write(`${jsonText({ policies: reviewed, names, limits })}\n`);
    return;
  }
  const paint = paintFor(context, context.stdout);
  for (const { policyName, changes, recommendations } of reviewed) {
    context.stdout.write(`${paint('yellow', '!')} ${printable(policyName)}\n`);
    for (const { request, harm } of changes) context.stdout.write(`    ALLOW → DENY  ${printable(`${request}: ${harm}`)}\n`);
    for (const text of recommendations) context.stdout.write(`    ${printable(text)}\n`);
  }
  for (const { what, name, problem } of names)
    context.stdout.write(`${paint('yellow', '!')} ${what} ${printable(name)}\n    ${printable(problem)}\n`);
  for (const limit of limits) {
    context.stdout.write(`${paint('yellow', '!')} ${printable(limit.name)} (controls.${limit.identifier})\n`);
    for (const text of linesOf(limit)) context.stdout.write(`    ${printable(text)}\n`);
  }
  const stricter = reviewed.filter(({ changes }) => changes.length > 0).length;
  const advised = reviewed.filter(({ recommendations }) => recommendations.length > 0).length;
  context.stdout.write(`${stricter} of ${policies.length} policies allow less than before, ${advised} have a recommendation\n`);
  context.stdout.write(`${limits.length} of ${controls.length} limits count by the rules of an earlier release\n`);
}

/** What the current rules would change for the policies of a limit, and how to switch to them. */
function linesOf({ velocityControlId, allows, denies }: ReviewedLimit): readonly string[] {
  return [
    'counts by the rules of an earlier release, which say nothing about other assets',
    ...allows.flatMap(({ policyName, changes }) =>
      changes.length === 0
        ? [`${policyName}: no decision on a known hostile request would change`]
        : changes.map(({ request, harm }) => `${policyName}: ALLOW → DENY  ${request}: ${harm}`),
    ),
    ...denies.map((policyName) => `${policyName}: would also deny what the limit does not count`),
    `to switch: countersign update-velocity-control --velocity-control-id ${velocityControlId} --control-rules 2`,
  ];
}
