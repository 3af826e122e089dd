import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { addConnectionFlags, connect } from '../connection.ts';
import type { Context } from '../context.ts';
import { CliError, UsageError } from '../errors.ts';
import type { PastFlags } from '../policy/past-range.ts';
import { resolveTagsHelp, type TagFlags, tagReader } from '../policy/tag-flags.ts';
import { progressOn } from '../progress.ts';
import { SilentError } from '../silent-error.ts';
import { jsonText, paintFor, printable, printableLines } from '../terminal.ts';
import { addPolicyBacktest } from './policy-backtest.ts';
import { addPolicyCheck } from './policy-check.ts';
import { addPolicyProve } from './policy-prove.ts';
import { addPolicyReview } from './policy-review.ts';
import { addPolicySuggest } from './policy-suggest.ts';

const testExample = `
Example:
  $ countersign policy test policies/tests
  $ countersign policy test --from-history --last 200 policies/history`;

/** `policy`: checks, tests, proves and backtests policies with the engine of the server. */
export function addPolicy(program: Command, context: Context): void {
  const policy = program
    .command('policy')
    .helpGroup('Service:')
    .summary('Check, test and prove policies offline, and replay past activities against them');
  addPolicyCheck(policy, context);
  const testing = policy
    .command('test')
    .argument('<path...>', 'case files, or directories of them (*.cases.json)')
    .summary('Run case files: policies, requests with their approvers, and the expected decisions')
    .option('--json', 'print the results as JSON')
    .option('--resolve-tags', resolveTagsHelp)
    .optionsGroup('From history:')
    .option('--from-history', 'first write past activities as cases into the directory, then run them')
    .option('--activity <id...>', 'these activities')
    .option('--since <time>', 'activities from this day or time, or a duration ago (30d, 24h)')
    .option('--until <time>', 'activities before this day or time')
    .option('--last <n>', 'the newest n activities')
    .option('--type <type...>', 'only activities of these types')
    .option('--user <id...>', 'only activities that these users submitted');
  addConnectionFlags(testing)
    .addHelpText('after', testExample)
    .action(async (paths: string[], flags: TestFlags) => {
      if (flags.fromHistory) await recordHistory(context, paths, flags);
      await testPaths(context, paths, flags);
    });
  addPolicyProve(policy, context);
  addPolicyReview(policy, context);
  addPolicyBacktest(policy, context);
  addPolicySuggest(policy, context);
}

interface TestFlags extends TagFlags, PastFlags {
  readonly json?: true;
  readonly fromHistory?: true;
  readonly activity?: readonly string[];
  readonly user?: readonly string[];
}

/** Writes past activities as cases into the directory. */
async function recordHistory(context: Context, [folder, ...others]: readonly string[], flags: TestFlags): Promise<void> {
  const { toRange } = await import('../policy/past-range.ts');
  const { writeHistory } = await import('../policy/write-history.ts');
  const { activity, user = [], since, last } = flags;
  if (folder === undefined || others.length > 0)
    throw new UsageError('--from-history writes into one directory.', 'Pass exactly one path.');
  if (activity === undefined && since === undefined && last === undefined)
    throw new UsageError('No activities were selected.', 'Select them with --activity, --since or --last.');
  const progress = progressOn(context, flags);
  const request = { ...(activity && { activityIds: activity }), range: toRange(flags, user, Date.now()) };
  const result = await writeHistory(connect(context, flags), folder, request, (read, total) =>
    progress.show('reading', read, total),
  ).finally(progress.end);
  const { files, cases, left } = result;
  const rest = left === 0 ? '' : `; ${left} activities cannot become cases`;
  context.stderr.write(`${cases} cases in ${files.length} ${files.length === 1 ? 'file' : 'files'}${rest}\n`);
}

async function testPaths(context: Context, paths: readonly string[], flags: TestFlags): Promise<void> {
  const json = flags.json === true;
  const readTags = await tagReader(context, flags);
  const { compilePolicies, renderExplanation } = await import('@countersign/policy');
  const { explainRequest } = await import('@countersign/server');
  const { offlineOptions } = await import('@countersign/judgement');
  const { readCaseFile } = await import('../policy/case-file.ts');
  const { Coverage } = await import('../policy/coverage.ts');
  const paint = paintFor(context, context.stdout);
  const files = paths.flatMap(caseFiles).map((path) => readCaseFile(path));
  const resolved: (typeof files)[number][] = [];
  for (const file of files) resolved.push({ ...file, policies: await readTags(file.policies) });
  const results = resolved.map(({ path, policies, cases }) => {
    const set = compilePolicies(policies, offlineOptions(policies));
    const coverage = new Coverage();
    const outcomes = cases.map(({ name, expect, request }) => {
      const explanation = explainRequest(set, request);
      coverage.add(explanation);
      const { outcome } = explanation.decision;
      return { name, expect, outcome, passed: outcome === expect, explanation: renderExplanation(explanation) };
    });
    return { path, outcomes, coverage: { ...coverage.counts, gaps: coverage.gaps } };
  });
  const all = results.flatMap(({ outcomes }) => outcomes);
  const failed = all.filter(({ passed }) => !passed).length;
  if (json) context.stdout.write(`${jsonText(results)}\n`);
  for (const { path, outcomes, coverage } of json ? [] : results) {
    context.stdout.write(`${paint('bold', printable(path))}\n`);
    for (const { name, expect, outcome, passed, explanation } of outcomes) {
      context.stdout.write(
        `  ${passed ? paint('green', '✓') : paint('red', '✗')} ${printable(name)}${passed ? '' : `: expected ${expect}, got ${outcome}\n${printableLines(explanation, '    ')}`}\n`,
      );
    }
    context.stdout.write(`  conditions: ${coverage.seen} of ${coverage.total} outcomes covered\n`);
    for (const gap of coverage.gaps) context.stdout.write(`    ${paint('yellow', 'not covered')} ${printable(gap)}\n`);
  }
  if (!json) context.stdout.write(`${all.length - failed} passed, ${failed} failed\n`);
  if (failed > 0) throw new SilentError();
}

function caseFiles(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined)
    throw new UsageError(`${path} does not exist.`, 'Pass a case file, or a directory that contains *.cases.json files.');
  if (!found.isDirectory()) return [path];
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.cases.json'));
  if (files.length === 0) throw new CliError(`${path} has no case files.`, 'Case files end in .cases.json.');
  return files.sort().map((file) => join(path, file));
}
