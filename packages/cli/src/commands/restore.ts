import type { Restored } from '@countersign/server';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { fillLazily } from '../lazy-command.ts';
import { progressOn } from '../progress.ts';
import { addSettingFlags, configFrom } from '../settings-flags.ts';
import { jsonText, paintFor, printable } from '../terminal.ts';

const example = `
Example:
  $ countersign restore --data-dir ./restored ./countersign-2026-01-31.backup
  $ countersign restore --identity ./backup-identity.txt --checkpoint ./last-checkpoint.txt /mnt/backups/countersign.backup.age`;

interface Flags extends Record<string, unknown> {
  readonly json?: true;
  readonly acceptLoss?: true;
  readonly identity?: string;
  readonly checkpoint?: string;
}

/** `restore`: puts a backup into an empty database, verifies it, and begins a new epoch. */
export function addRestore(program: Command, context: Context): void {
  const restore = program.command('restore <file>').helpGroup('Service:').summary('Put a backup into an empty database');
  fillLazily(restore, async () => {
    restore.description(
      'Puts a backup into an empty database and verifies all of it: organizations, keys, activities, and the log up to its checkpoint.\n' +
        'Put the root key in its place first. The newest checkpoint that anybody has seen shows how much the backup lacks: the one in this\n' +
        'data directory, or one that you give. Nothing is stored where something is missing, unless you accept that.\n' +
        'A new epoch begins. Servers of the earlier one can no longer sign with this database. Stop them: where they have a database of\n' +
        'their own, nothing else does.',
    );
    addSettingFlags(restore, await import('@countersign/server'), { storageOnly: true });
    restore
      .option('--identity <file>', 'the identity of age that opens an encrypted backup')
      .option('--checkpoint <file>', 'a checkpoint of the log that was seen elsewhere, such as a saved /log/checkpoint')
      .option('--accept-loss', 'go on although something is missing')
      .optionsGroup('Output:')
      .option('--json', 'print the outcome as JSON')
      .addHelpText('after', example);
  });
  restore.action(async (file: string, { json, acceptLoss, identity, checkpoint, ...settings }: Flags) => {
    const server = await import('@countersign/server');
    const { stdout } = context;
    const progress = progressOn(context, { json });
    try {
      const outcome = await server.restore(configFrom(context, server, settings), {
        file,
        acceptLoss: acceptLoss === true,
        ...(identity !== undefined && { identityFile: identity }),
        ...(checkpoint !== undefined && { checkpointFile: checkpoint }),
        onProgress: (what, done, total) => progress.show(what, done, total),
      });
      progress.end();
      if (json) return stdout.write(`${jsonText(outcome)}\n`);
      const headline = paintFor(context, stdout)('green', 'The backup was restored, and all of it was verified.');
      return stdout.write(`${headline}\n${facts(outcome).join('\n')}\n`);
    } finally {
      progress.end();
    }
  });
}

function facts({ createdAtMs, counts, leaves, epoch, compared, accepted }: Restored): string[] {
  const number = (value: number | undefined) => (value ?? 0).toLocaleString('en-US');
  return [
    `Made           ${new Date(createdAtMs).toISOString()}`,
    `Organizations  ${number(counts.organizations)}`,
    `Activities     ${number(counts.activities)}`,
    `Log            ${number(leaves)} leaves`,
    ...compared.map(({ from, leaves: seen, missing }) =>
      missing === 0
        ? `Compared       with the ${number(seen)} leaves that ${printable(from)} has seen: none is missing`
        : `Compared       with the ${number(seen)} leaves that ${printable(from)} has seen: ${number(missing)} are missing`,
    ),
    ...(compared.length === 0
      ? ['Compared       with nothing: give --checkpoint to learn what happened after this backup was made']
      : []),
    ...accepted.map((line) => `Accepted       ${printable(line)}`),
    `Epoch          ${epoch.to}, after ${epoch.from}. Stop every server of the earlier epoch.`,
  ];
}
