import type { Archived } from '@countersign/server';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { fillLazily } from '../lazy-command.ts';
import { progressOn } from '../progress.ts';
import { addSettingFlags, configFrom } from '../settings-flags.ts';
import { jsonText, paintFor } from '../terminal.ts';

const example = `
Example:
  $ countersign archive --before 2026-01-01 --to /mnt/archive`;

interface Flags extends Record<string, unknown> {
  readonly json?: true;
  readonly before: string;
  readonly to: string;
}

/** `archive`: moves old signatures into files. The service can run. */
export function addArchive(program: Command, context: Context): void {
  const archive = program.command('archive').helpGroup('Service:').summary('Move old signatures into files');
  fillLazily(archive, async () => {
    archive.description(
      'Moves signatures that ended before a date into files, to keep the database small. The service can run. A row is removed only\n' +
        'after it was read back from its file. Their log entries move too, and are proven from the file: leave it where it is, or put it into\n' +
        'the directory archive of the data directory. A query for an archived activity returns the name of its file. Activities of the\n' +
        'last two days are not moved. Keep the files: they are the only copy of these rows.',
    );
    addSettingFlags(archive, await import('@countersign/server'), { storageOnly: true });
    archive
      .requiredOption('--before <date>', 'signatures that ended before this date (UTC) or time, in ISO 8601')
      .requiredOption('--to <directory>', 'directory for the files; created if missing')
      .optionsGroup('Output:')
      .option('--json', 'print the result as JSON')
      .addHelpText('after', example);
  });
  archive.action(async ({ json, before, to, ...settings }: Flags) => {
    const server = await import('@countersign/server');
    const { stdout } = context;
    const progress = progressOn(context, { json });
    const options = {
      beforeMs: toTimeMs(before),
      directory: to,
      onProgress: (moved: number) => progress.show('activities moved', moved),
    };
    const outcome = await server.archive(await configFrom(context, server, settings), options).finally(progress.end);
    if (json) return stdout.write(`${jsonText(outcome)}\n`);
    const headline = `${outcome.moved.toLocaleString('en-US')} activities were moved.`;
    return stdout.write(`${[paintFor(context, stdout)('green', headline), ...facts(outcome)].join('\n')}\n`);
  });
}

/** Parses a date, or a time with a time zone. Throws CliError for other text, because its meaning would depend on the machine. */
export function toTimeMs(text: string): number {
  const isPlain = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const timeMs = isPlain ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(timeMs))
    throw new UsageError(`--before ${text} is not a date.`, 'Write it as 2026-01-31, or as 2026-01-31T12:00:00Z.');
  return timeMs;
}

function facts({ files, withoutLeaf, keepsSize }: Archived): string[] {
  return [
    ...files.map(
      ({ file, activities, digest }) => `${file}  ${activities.toLocaleString('en-US')} activities, SHA-256 ${digest}`,
    ),
    ...(withoutLeaf === 0
      ? []
      : [
          `${withoutLeaf.toLocaleString('en-US')} older activities were not moved: they precede the log, or the log does not include them yet.`,
        ]),
    ...(keepsSize && files.length > 0
      ? ['The database file keeps its size. To make it smaller, run this command once while the service is stopped.']
      : []),
    ...(files.length === 0 ? [] : ['Keep these files and back them up like the database.']),
  ];
}
