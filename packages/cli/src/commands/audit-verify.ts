import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { readPortFile } from '@countersign/server/command';
import type { describeReport as DescribeReport, parseHead as ParseHead, Verdict } from '@countersign/verify';
import type { Command } from 'commander';
import { keyText } from '../audit/key-text.ts';
import type { Context } from '../context.ts';
import { CliError, UsageError } from '../errors.ts';
import { progressOn } from '../progress.ts';
import { SilentError } from '../silent-error.ts';
import { jsonText, paintFor, printable } from '../terminal.ts';

const example = `
Obtain the log key independently of the file: save <url>/log/key on the first day. With --log-key the command contacts no service. Without
it, the command reads the key from the service that runs on the data directory, and says so.

In an installation with several shards, pass the key of the root log and a root proof instead: one key for all shards.

To find leaves that are missing at the end of a file without a proof, pass the newest leaf that you know with --expect-head.

Example:
  $ countersign audit verify first-quarter.jsonl --log-key log-key.txt`;

interface VerifyFlags {
  readonly logKey?: string;
  readonly rootKey?: string;
  readonly rootProof?: string;
  readonly dataDir?: string;
  readonly witnessKey?: readonly string[];
  readonly expectHead?: string;
  readonly json?: true;
}

/** `audit verify`: verifies an audit file offline and reports what it proves. */
export function addAuditVerify(parent: Command, context: Context): void {
  parent
    .command('verify')
    .argument('<file>', 'the file to verify')
    .summary('Verify an audit file offline')
    .option('--log-key <key>', 'the log key, or a file that contains it; by default the key of the service that runs here')
    .option('--root-key <key>', 'instead of the log key: the key of the root log of shards, or a file that contains it')
    .option('--root-proof <file>', 'the proof of "audit root-proof" for this file; required with --root-key')
    .option('--data-dir <dir>', 'data directory of that service; countersign-data by default (COUNTERSIGN_DATA_DIR)')
    .option(
      '--witness-key <key>',
      'the key of a witness that must have cosigned, or a file that contains it; can be repeated',
      gather,
    )
    .option(
      '--expect-head <sequence:hash>',
      'a leaf that must be in the file, as "audit export" prints it or list_log_entries returns it',
    )
    .optionsGroup('Output:')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', example)
    .action(async (file: string, flags: VerifyFlags) => {
      const { createHasher, nativeChecks } = await import('../audit/native-checks.ts');
      const { describeReport, parseHead, splitLines, verifyAudit } = await import('@countersign/verify');
      const progress = progressOn(context, flags);
      const verdict = await verifyAudit(splitLines(read(file)), {
        ...(await trustOf(context, flags)),
        ...(flags.expectHead !== undefined && { expectedHead: requireHead(parseHead(flags.expectHead)) }),
        witnessKeys: await Promise.all((flags.witnessKey ?? []).map(keyText)),
        checks: nativeChecks,
        createHasher,
        onProgress: (lines) => progress.show('lines', lines),
      }).finally(progress.end);
      context.stdout.write(flags.json ? `${jsonText(verdict)}\n` : `${shown(context, verdict, describeReport)}\n`);
      if (!verdict.ok) throw new SilentError();
    });
}

const gather = (key: string, before: readonly string[] = []) => [...before, key];

function requireHead(head: ReturnType<typeof ParseHead>): NonNullable<typeof head> {
  if (head !== undefined) return head;
  throw new UsageError(
    '--expect-head must be the number and the hash of a leaf.',
    'Write it as "audit export" prints it: 12:8f43…, with 64 hexadecimal digits.',
  );
}

/** The keys to trust: that of the root log with its proof, or that of the log. */
async function trustOf(
  context: Context,
  flags: VerifyFlags,
): Promise<{ logKey: string } | { root: { key: string; proof: string } }> {
  const { logKey, rootKey, rootProof } = flags;
  if (rootKey === undefined && rootProof === undefined)
    return { logKey: logKey === undefined ? await keyOfService(context, flags) : await keyText(logKey) };
  if (rootKey === undefined || rootProof === undefined || logKey !== undefined)
    throw new UsageError(
      '--root-key and --root-proof belong together, and --log-key is not used with them.',
      'Fetch the proof with "countersign audit root-proof".',
    );
  const proof = await readFile(rootProof, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CliError(
      `The root proof ${rootProof} cannot be read: ${error.code}.`,
      'Fetch it with "countersign audit root-proof".',
    );
  });
  return { root: { key: await keyText(rootKey), proof } };
}

/**
 * The key of the service that runs on the data directory.
 * SECURITY: an operator's own service is independent of a file, but a service can change its key. So the source is always shown.
 */
async function keyOfService({ environment, stderr }: Context, { dataDir }: VerifyFlags): Promise<string> {
  const folder = dataDir ?? environment.COUNTERSIGN_DATA_DIR ?? 'countersign-data';
  const url = readPortFile(folder)?.url;
  const path = url === undefined ? undefined : new URL('/log/key', url).href;
  const response = path === undefined ? undefined : await fetch(path).catch(() => undefined);
  if (path === undefined || response?.status !== 200)
    throw new UsageError(
      `The log key is missing, and no service that runs on ${folder} shows it.`,
      'Pass the key that you saved with --log-key. To save it: curl -s http://127.0.0.1:8787/log/key > log-key.txt',
    );
  stderr.write(`Log key from ${path}. Pass the key that you saved on the first day with --log-key to detect a changed key.\n`);
  return response.text();
}

async function* read(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}.`, 'Check the file name.');
  }
}

function shown(context: Context, verdict: Verdict, describeReport: typeof DescribeReport): string {
  const paint = paintFor(context, context.stdout);
  if (verdict.ok) return [paint('green', 'Verified.'), ...describeReport(verdict.report).map(printable)].join('\n');
  const { line, activityId, reason } = verdict.failure;
  const where = activityId === undefined ? `line ${line}` : `line ${line}, activity ${printable(activityId)}`;
  return `${paint('red', 'Not verified.')} ${where}: ${printable(reason)}.`;
}
