import { open, rename, rm, stat } from 'node:fs/promises';
import { createClient } from '@countersign/client';
import type { Command } from 'commander';
import { addConnectionFlags, type ConnectionFlags, readConnection } from '../connection.ts';
import type { Context } from '../context.ts';
import { CliError, UsageError } from '../errors.ts';
import { counted } from '../output/counted.ts';
import { progressOn } from '../progress.ts';
import { nextCommand, shellQuote } from '../shell-quote.ts';

const example = `
The file contains every log leaf of the organization. Activities after --to, and signatures before --from, are included without
their content. Anyone who has the log key (<url>/log/key) can verify the file offline. The last leaf is printed to standard error:
note it, and a later file must contain it ("audit verify --expect-head").

Example:
  $ countersign audit export --from 2026-01-01 --to 2026-03-31 first-quarter.jsonl`;

interface ExportFlags extends ConnectionFlags {
  readonly from?: string;
  readonly to?: string;
}

/** `audit export`: writes all activities of the organization to a file, with proofs. */
export function addAuditExport(parent: Command, context: Context): void {
  const command = parent
    .command('export')
    .argument('[file]', 'the file to write; standard output by default')
    .summary('Write the activities of the organization to a file, with proofs')
    .option('--from <time>', 'omit the content of signatures before this day or time')
    .option('--to <time>', 'omit the content of all activities after this day or time');
  addConnectionFlags(command)
    .addHelpText('after', example)
    .action(async (file: string | undefined, flags: ExportFlags) => {
      const { auditLines } = await import('@countersign/verify');
      const { createHasher } = await import('../audit/native-checks.ts');
      const since = toTime('--from', flags.from, 'start');
      const until = toTime('--to', flags.to, 'end');
      const connection = readConnection(context, flags);
      const range = { organizationId: connection.organizationId.toLowerCase(), since, until };
      const progress = progressOn(context);
      let head: string | undefined;
      let leaves = 0;
      const events = {
        onProgress: (count: number) => {
          leaves = count;
          progress.show('leaves', count);
        },
        onHead: (text: string) => {
          head = text;
        },
      };
      const lines = auditLines(createClient(connection).listAuditRecords, range, events, createHasher);
      try {
        if (file === undefined) for await (const text of lines) context.stdout.write(text);
        else await writeWhole(file, lines);
      } finally {
        progress.end();
      }
      if (file !== undefined) {
        const { size } = await stat(file);
        const verify = nextCommand(['audit', 'verify', file, '--log-key', 'log-key.txt']);
        const key = `curl -s ${shellQuote(new URL('/log/key', connection.baseUrl).href)} > log-key.txt`;
        context.stderr.write(
          `Wrote ${counted(leaves, 'log leaf', 'log leaves')} to ${file} (${size.toLocaleString('en-US')} bytes).\n`,
        );
        context.stderr.write(`Save the log key once: ${key}\nVerify the file:       ${verify}\n`);
      }
      if (head !== undefined) context.stderr.write(`Last leaf: ${head}\n`);
    });
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Time in milliseconds. A day means its first or its last millisecond, in UTC. */
function toTime(flag: string, text: string | undefined, edge: 'start' | 'end'): number | null {
  if (text === undefined) return null;
  const full = DAY.test(text) ? `${text}T${edge === 'start' ? '00:00:00.000' : '23:59:59.999'}Z` : text;
  const ms = Date.parse(full);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  throw new UsageError(`${flag} must be a day or a time.`, 'Write it as 2026-01-31, or as 2026-01-31T12:00:00Z.');
}

/** INVARIANT: the file gets its name only after it is complete. */
async function writeWhole(file: string, lines: AsyncIterable<string>): Promise<void> {
  const part = `${file}.part`;
  const handle = await open(part, 'w', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new CliError(`${part} cannot be written: ${error.code}.`, 'Choose a writable directory.');
  });
  try {
    for await (const text of lines) await handle.write(text);
    await handle.sync();
    await handle.close();
    await rename(part, file);
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(part, { force: true });
    throw error;
  }
}
