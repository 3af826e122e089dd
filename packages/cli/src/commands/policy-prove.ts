import type { ProofResult } from '@countersign/judgement';
import { type Command, InvalidArgumentError } from 'commander';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { SilentError } from '../silent-error.ts';
import { jsonText, type Paint, paintFor, printable } from '../terminal.ts';

const example = `
Examples:
  $ countersign policy prove policies.json --properties policies.properties.json
  $ countersign policy prove policies.json --forbid "eth.tx.value > 10 ETH"`;

interface Flags {
  readonly properties?: string;
  readonly forbid?: string;
  readonly unless?: string;
  readonly activity?: string;
  readonly listSize: number;
  readonly timeout: number;
  readonly includeRoot?: true;
  readonly json?: true;
}

/** `policy prove`: proves that policies guarantee a property for all requests. */
export function addPolicyProve(policy: Command, context: Context): void {
  policy
    .command('prove')
    .argument('<file...>', 'JSON files with all policies')
    .summary('Prove that policies guarantee a property for all requests, or show a counterexample')
    .option('--properties <file>', 'JSON file with users and properties')
    .option('--forbid <condition>', 'a property: no request with this condition is allowed')
    .option('--unless <consensus>', 'with --forbid: except with these approvers')
    .option('--activity <kind>', 'with --forbid: the kind of activity (default: SIGN_TRANSACTION)')
    .option('--list-size <n>', 'maximum list length, if a proof for all lengths is not possible', within(1, 12), 3)
    .option('--timeout <seconds>', 'time limit of each solver query', within(1, 600), 10)
    .option('--include-root', 'include requests that the root quorum approves')
    .option('--json', 'print the results as JSON')
    .addHelpText('after', example)
    .action((files: string[], flags: Flags) => proveFiles(context, files, flags));
}

async function proveFiles(context: Context, files: readonly string[], flags: Flags): Promise<void> {
  const { readJsonFile, toPolicies } = await import('../policy/policy-file.ts');
  const { flagProperty, readPropertyFile } = await import('../policy/property-file.ts');
  const { proveAll, resultLines } = await import('@countersign/judgement');
  const { openSolver } = await import('../policy/solver.ts');
  const { noRootQuorum } = await import('../policy/people-file.ts');
  const { properties: path, forbid, unless, activity } = flags;
  if (forbid === undefined && (unless !== undefined || activity !== undefined))
    throw new UsageError('--unless and --activity require --forbid.', 'Pass the condition with --forbid.');
  if (path === undefined && forbid === undefined)
    throw new UsageError('No property was given.', 'Pass a file with --properties, or a condition with --forbid.');
  const read = path === undefined ? { users: [], rootQuorum: noRootQuorum, properties: [] } : readPropertyFile(path);
  const own = forbid === undefined ? [] : [flagProperty({ forbid, unless, activity })];
  const policies = files.flatMap((file) => toPolicies(readJsonFile(file), file));
  const results = await proveAll(
    policies,
    { ...read, properties: [...read.properties, ...own] },
    { listSize: flags.listSize, includeRoot: flags.includeRoot === true, timeoutMs: flags.timeout * 1000 },
    openSolver,
  );
  if (flags.json) context.stdout.write(`${jsonText(results)}\n`);
  else writeResults(context, results, resultLines);
  if (results.some(({ verdict }) => verdict !== 'PROVEN')) throw new SilentError();
}

function writeResults(
  context: Context,
  results: readonly ProofResult[],
  linesOf: (result: ProofResult) => readonly string[],
): void {
  const paint = paintFor(context, context.stdout);
  for (const result of results) {
    const { verdict, name, milliseconds } = result;
    context.stdout.write(`${heads[verdict](paint)} ${printable(name)} (${milliseconds} ms)\n`);
    for (const line of linesOf(result)) context.stdout.write(`    ${printable(line)}\n`);
  }
  const count = (verdict: ProofResult['verdict']) => results.filter((each) => each.verdict === verdict).length;
  context.stdout.write(`${count('PROVEN')} proven, ${count('REFUTED')} refuted, ${count('UNKNOWN')} unknown\n`);
  const assumed = new Set(results.flatMap((each) => (each.verdict === 'PROVEN' ? each.assumes : [])));
  if (assumed.size > 0) context.stdout.write('Proofs assume:\n');
  for (const sentence of assumed) context.stdout.write(`- ${sentence}\n`);
}

const heads: Readonly<Record<ProofResult['verdict'], (paint: Paint) => string>> = {
  PROVEN: (paint) => paint('green', '✓ PROVEN '),
  REFUTED: (paint) => paint('red', '✗ REFUTED'),
  UNKNOWN: (paint) => paint('yellow', '? UNKNOWN'),
};

function within(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be an integer from ${least} to ${most}.`);
  };
}
