import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { describeReport as DescribeReport, Verdict } from '@countersign/verify';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { CliFault } from '../faults.ts';
import { progressOn } from '../progress.ts';
import { SilentFault } from '../silent-fault.ts';
import { jsonText, paintFor, printable } from '../terminal.ts';

const example = `
Nothing is asked of any service. The key of the log must come from somewhere else than the file: keep <url>/log/key from the first day.

Example:
  $ countersign audit verify first-quarter.jsonl --log-key log-key.txt`;

interface VerifyFlags {
  readonly logKey: string;
  readonly witnessKey?: readonly string[];
  readonly json?: true;
}

/** `audit verify`: checks an audit file offline, and says what it proves. */
export function addAuditVerify(parent: Command, context: Context): void {
  parent
    .command('verify')
    .argument('<file>', 'the file to verify')
    .summary('Verify such a file without a connection')
    .requiredOption('--log-key <key>', 'the key of the log, or a file that has it')
    .option(
      '--witness-key <key>',
      'the key of a witness who must have cosigned, or a file that has it; repeat it for several',
      gather,
    )
    .optionsGroup('Output:')
    .option('--json', 'print what was proven, or what does not hold, as JSON')
    .addHelpText('after', example)
    .action(async (file: string, flags: VerifyFlags) => {
      const { createHasher, nativeChecks } = await import('../audit/native-checks.ts');
      const { describeReport, splitLines, verifyAudit } = await import('@countersign/verify');
      const progress = progressOn(context, flags);
      const verdict = await verifyAudit(splitLines(read(file)), {
        logKey: await keyText(flags.logKey),
        witnessKeys: await Promise.all((flags.witnessKey ?? []).map(keyText)),
        checks: nativeChecks,
        createHasher,
        onProgress: (lines) => progress.show('lines', lines),
      }).finally(progress.end);
      context.stdout.write(flags.json ? `${jsonText(verdict)}\n` : `${shown(context, verdict, describeReport)}\n`);
      if (!verdict.ok) throw new SilentFault();
    });
}

const gather = (key: string, before: readonly string[] = []) => [...before, key];

/** A key has a plus sign, as C2SP signed-note writes it. Anything else is the name of a file. */
async function keyText(given: string): Promise<string> {
  if (given.includes('+')) return given;
  return readFile(given, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CliFault(
      `The key ${given} cannot be read: ${error.code}.`,
      'Give the key itself, as /log/key shows it, or a file that has it.',
    );
  });
}

async function* read(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw new CliFault(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}.`, 'Check the name of the file.');
  }
}

function shown(context: Context, verdict: Verdict, describeReport: typeof DescribeReport): string {
  const paint = paintFor(context, context.stdout);
  if (verdict.ok) return [paint('green', 'Verified.'), ...describeReport(verdict.report).map(printable)].join('\n');
  const { line, activityId, reason } = verdict.failure;
  const where = activityId === undefined ? `line ${line}` : `line ${line}, activity ${printable(activityId)}`;
  return `${paint('red', 'Not verified.')} ${where}: ${printable(reason)}.`;
}
