import { audit } from './audit.ts';
import { backtest } from './backtest.ts';
import { batch } from './batch.ts';
import type { Bench } from './bench.ts';
import { chains } from './chains.ts';
import { costs } from './costs.ts';
import { disk } from './disk.ts';
import { fairness } from './fairness.ts';
import { floods } from './floods.ts';
import { growth } from './growth.ts';
import { Leftovers } from './leftovers.ts';
import { limits } from './limits.ts';
import { operations } from './operations.ts';
import { OptionError, readOptions } from './options.ts';
import { policy } from './policy.ts';
import { paintFor } from './report/paint.ts';
import { restart } from './restart.ts';
import { serving } from './serving.ts';
import { start } from './start.ts';
import { tenants } from './tenants.ts';
import { unknown } from './unknown.ts';
import { webhooks } from './webhooks.ts';
import { work } from './work.ts';

const benches: Readonly<Record<string, Bench>> = {
  serving,
  costs,
  batch,
  chains,
  policy,
  tenants,
  growth,
  fairness,
  floods,
  audit,
  limits,
  backtest,
  unknown,
  work,
  webhooks,
  operations,
  start,
  restart,
  disk,
};

const help = `Usage: npm run bench -- [benchmark] [options]

Benchmarks:
${Object.entries(benches)
  .map(([name, { summary }]) => `  ${name.padEnd(22)}${summary}`)
  .join('\n')}

Options:
  --rounds N            interleaved rounds; reports show medians (5)
  --seconds N           length of one measured window (1.5)
  --connections 1,32    connections to serve at (1,32,128)
  --store sqlite        where activities are kept (sqlite,postgres)
  --workers 1           worker processes of the server (1,2)
  --tenants 1000000     sub-organizations in the larger installation
  --activities 10000    signatures in the audit file, or in the past of the backtest
  --most 10000000       most of a kind in the organizations of the growth benchmark, or of recent activities before a restart (10000)
  --sizes 10,10000      sizes of organizations in the growth benchmark (all up to --most)
  --kinds users,tags    what its organizations have many of, or concurrent, or words of what disturbs in the fairness benchmark (all)
  --write               write its part of docs/performance.md (serving, costs, fairness, growth)
  --before FILE         the command of an earlier build, to compare costs, floods, starts and restarts with, or to measure in growth with changes beside signers
  --isolate             start the service with --isolate (serving)
  --points 20000        counts in the window of the fullest limit
  --json                one JSON document instead of a table
  --help                this text

Everything runs on loopback and in the temporary directory (TMPDIR), and is removed at the end.
`;

/** Interval between two steps that are shown if the output is not a terminal. */
const SHOWN_EVERY_MS = 15_000;
let shownAtMs = performance.now();

/** Shows the current step: on a terminal in one line that the next text replaces, else from time to time. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  else if (text !== '' && performance.now() - shownAtMs > SHOWN_EVERY_MS) {
    shownAtMs = performance.now();
    process.stderr.write(`${Math.round(shownAtMs / 1000)} s: ${text}\n`);
  }
}

async function run(args: readonly string[]): Promise<void> {
  const options = readOptions(args);
  if (options.help) {
    process.stdout.write(help);
    return;
  }
  const bench = benches[options.bench];
  if (bench === undefined)
    throw new OptionError(`unknown benchmark "${options.bench}"; choose one of ${Object.keys(benches).join(', ')}`);
  if (process.platform !== 'linux') throw new OptionError('the benchmarks read CPU times from /proc and run on Linux only');

  const leftovers = new Leftovers();
  const stopOn = (signal: NodeJS.Signals, code: number) =>
    process.once(signal, () => {
      stopping = true;
      leftovers.close().finally(() => process.exit(code));
    });
  stopOn('SIGINT', 130);
  stopOn('SIGTERM', 143);
  try {
    const report = await bench.run({ options, leftovers, progress });
    progress('');
    const paint = paintFor(process.stdout, process.env);
    process.stdout.write(`${options.json ? JSON.stringify(report.json, null, 2) : report.text(paint)}\n`);
  } catch (error) {
    if (!stopping) for (const line of leftovers.complaints()) process.stderr.write(`server: ${line}\n`);
    throw error;
  } finally {
    await leftovers.close();
  }
}

let stopping = false;
run(process.argv.slice(2)).catch((error: unknown) => {
  // After a signal the processes end one by one, and pending questions to them fail. That is expected.
  if (stopping) return;
  progress('');
  const known = error instanceof OptionError;
  process.stderr.write(
    `bench: ${known ? `${error.message}. See --help.` : error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exitCode = 1;
});
