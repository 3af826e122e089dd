import type { Command } from 'commander';
import { addConnectionFlags } from '../connection.ts';
import type { Context } from '../context.ts';
import type { FileFindings } from '../policy/checked-policies.ts';
import { resolveTagsHelp, type TagFlags, tagReader } from '../policy/tag-flags.ts';
import { SilentError } from '../silent-error.ts';
import { jsonText, paintFor, printable, printableLines } from '../terminal.ts';

const checkExample = `
Example:
  $ countersign policy check policies/*.json
  $ countersign policy check --resolve-tags policies/*.json`;

interface CheckFlags extends TagFlags {
  readonly json?: true;
}

/** `policy check`: what is wrong with policies of files, what they apply to, and the worst that they allow. */
export function addPolicyCheck(policy: Command, context: Context): void {
  const checking = policy
    .command('check')
    .argument('<file...>', 'JSON files with one policy, or a list of them')
    .summary('Check policies before you create them: errors, warnings, and the activities that they apply to')
    .option('--json', 'print the findings as JSON')
    .option('--resolve-tags', resolveTagsHelp);
  addConnectionFlags(checking)
    .addHelpText('after', checkExample)
    .action((files: string[], flags: CheckFlags) => checkFiles(context, files, flags));
}

async function checkFiles(context: Context, files: readonly string[], flags: CheckFlags): Promise<void> {
  const readTags = await tagReader(context, flags);
  const { readJsonFile, toPolicies } = await import('../policy/policy-file.ts');
  const { checkedPolicies } = await import('../policy/checked-policies.ts');
  const findings: FileFindings[] = [];
  for (const file of files)
    findings.push(checkedPolicies(file, await readTags(toPolicies(readJsonFile(file), file)), Date.now()));
  if (flags.json) context.stdout.write(`${jsonText(findings)}\n`);
  else for (const each of findings) writeFindings(context, each);
  if (findings.some(({ errors }) => errors.length > 0)) throw new SilentError();
}

function writeFindings(context: Context, findings: FileFindings): void {
  const { file, policies, errors, warnings, reach, worstCases } = findings;
  const paint = paintFor(context, context.stdout);
  const mark = errors.length > 0 ? paint('red', '✗') : warnings.length > 0 ? paint('yellow', '!') : paint('green', '✓');
  context.stdout.write(
    `${mark} ${printable(file)}: ${policies} ${policies === 1 ? 'policy' : 'policies'}, ${errors.length} errors, ${warnings.length} warnings\n`,
  );
  for (const { policy, field, drawing } of errors)
    context.stdout.write(`\n  ${printable(policy)}, ${field}:\n${printableLines(drawing, '    ')}\n`);
  const reported = new Set(warnings.filter(({ appliesTo }) => appliesTo !== undefined).map(({ policyId }) => policyId));
  for (const { policy, appliesTo, everything, queries = [] } of reach) {
    if (appliesTo === undefined || reported.has(policy)) continue;
    const names = everything ? ['every activity'] : [...appliesTo, ...queries];
    context.stdout.write(`  ${printable(policy)} can apply to ${listed(names)}\n`);
  }
  for (const { policy, effect, words } of worstCases)
    context.stdout.write(`  ${effect === 'EFFECT_DENY' ? 'without' : 'worst case of'} ${printable(`${policy}: ${words}`)}\n`);
  for (const { code, policyId, message, help, example } of warnings) {
    context.stdout.write(`  ${paint('yellow', `warning[${code}]`)} ${printable(`${policyId ?? 'all'}: ${message}`)}\n`);
    if (help !== undefined) context.stdout.write(`      = help: ${printable(help)}\n`);
    for (const line of exampleLines(example)) context.stdout.write(`      ${printable(line)}\n`);
  }
}

function listed(activities: readonly string[] | undefined): string {
  return activities === undefined || activities.length === 0 ? 'no activity' : activities.join(', ');
}

/** Example request for a warning. */
function exampleLines(example: Readonly<Record<string, string>> = {}): readonly string[] {
  const fields = Object.entries(example).map(([name, value]) => `${name}: ${value}`);
  return fields.length === 0 ? [] : ['= example request:', ...fields.map((field) => `    ${field}`)];
}
