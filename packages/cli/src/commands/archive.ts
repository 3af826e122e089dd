import type { Archived } from '@countersign/server';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { CliFault } from '../faults.ts';
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

/** `archive`: moves old signatures into files, while the service runs. */
export function addArchive(program: Command, context: Context): void {
  const archive = program.command('archive').helpGroup('Service:').summary('Move old signatures into files');
  fillLazily(archive, async () => {
    archive.description(
      'Moves signatures that ended before a date into files, and keeps the database small. The service may run. A row is removed only\n' +
        'after it was read back from its file. The leaves of the log stay, so every archived activity can still be proven. A query for one\n' +
        'names its file. Activities of the last two days stay. Keep the files: nothing else has what was in the rows.',
    );
    addSettingFlags(archive, await import('@countersign/server'), { storageOnly: true });
    archive
      .requiredOption('--before <date>', 'signatures that ended before this date (UTC) or time, as in ISO 8601')
      .requiredOption('--to <directory>', 'where the files go; made if missing')
      .optionsGroup('Output:')
      .option('--json', 'print the outcome as JSON')
      .addHelpText('after', example);
  });
  archive.action(async ({ json, before, to, ...settings }: Flags) => {
    const server = await import('@countersign/server');
    const { stdout } = context;
    const progress = progressOn(context, { json });
    const asked = {
      beforeMs: toTimeMs(before),
      directory: to,
      onProgress: (moved: number) => progress.show('activities moved', moved),
    };
    const outcome = await server.archive(configFrom(context, server, settings), asked).finally(progress.end);
    if (json) return stdout.write(`${jsonText(outcome)}\n`);
    const headline = `${outcome.moved.toLocaleString('en-US')} activities were moved.`;
    return stdout.write(`${[paintFor(context, stdout)('green', headline), ...facts(outcome)].join('\n')}\n`);
  });
}

/** A date or a time with its zone. Throws CliFault for any other text, such as one that each machine would read differently. */
export function toTimeMs(text: string): number {
  const isPlain = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const timeMs = isPlain ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(timeMs))
    throw new CliFault(`--before ${text} is not a date.`, 'Write it as 2026-01-31, or as 2026-01-31T12:00:00Z.');
  return timeMs;
}

function facts({ files, withoutLeaf }: Archived): string[] {
  return [
    ...files.map(
      ({ file, activities, digest }) => `${file}  ${activities.toLocaleString('en-US')} activities, SHA-256 ${digest}`,
    ),
    ...(withoutLeaf === 0
      ? []
      : [`${withoutLeaf.toLocaleString('en-US')} older activities stay: they are from before the log, or on their way into it.`]),
    ...(files.length === 0 ? [] : ['Keep these files. Back them up as you do the database.']),
  ];
}
