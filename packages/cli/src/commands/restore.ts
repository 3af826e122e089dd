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
  readonly resend?: true;
  readonly identity?: string;
  readonly checkpoint?: string;
}

/** `restore`: restores a backup into an empty database, verifies it, and starts a new epoch. */
export function addRestore(program: Command, context: Context): void {
  const restore = program.command('restore <file>').helpGroup('Service:').summary('Restore a backup into an empty database');
  fillLazily(restore, async () => {
    restore.description(
      'Restores a backup into an empty database and verifies all of it: organizations, keys, activities, and the log up to its checkpoint.\n' +
        'Provide the root key first. The command compares the backup with the newest known checkpoint: the one in this data directory, or\n' +
        'one that you pass. If something is missing, it restores nothing unless you accept the loss.\n' +
        'A new epoch starts. Servers of the earlier epoch can no longer sign with this database. Stop them: a server that has its own\n' +
        'database is not stopped by anything else. Requests stamped before this moment are refused, not executed. Messages and webhook\n' +
        'events that were pending in the backup may have been delivered since, so they are not sent unless you pass --resend.\n' +
        'If a restore was interrupted, run it again: it starts over, or finishes if the backup was already stored.',
    );
    addSettingFlags(restore, await import('@countersign/server'), { storageOnly: true });
    restore
      .option('--identity <file>', 'the age identity that decrypts the backup')
      .option('--checkpoint <file>', 'a log checkpoint from elsewhere, such as a saved /log/checkpoint')
      .option('--accept-loss', 'continue although something is missing')
      .option('--resend', 'send messages and webhook events that were pending in the backup')
      .optionsGroup('Output:')
      .option('--json', 'print the result as JSON')
      .addHelpText('after', example);
  });
  restore.action(async (file: string, { json, acceptLoss, resend, identity, checkpoint, ...settings }: Flags) => {
    const server = await import('@countersign/server');
    const { stdout } = context;
    const progress = progressOn(context, { json });
    try {
      const outcome = await server.restore(await configFrom(context, server, settings), {
        file,
        acceptLoss: acceptLoss === true,
        resend: resend === true,
        ...(identity !== undefined && { identityFile: identity }),
        ...(checkpoint !== undefined && { checkpointFile: checkpoint }),
        onProgress: (what, done, total) => progress.show(what, done, total),
      });
      progress.end();
      if (json) return stdout.write(`${jsonText(outcome)}\n`);
      const headline = paintFor(context, stdout)(
        'green',
        outcome.resumed ? RESUMED : 'The backup was restored and verified completely.',
      );
      return stdout.write(`${headline}\n${facts(outcome).join('\n')}\n`);
    } finally {
      progress.end();
    }
  });
}

const RESUMED =
  'The interrupted restore of this backup was finished. It had been verified and stored; the file was not read again.';

function facts({ createdAtMs, digest, counts, leaves, epoch, compared, accepted, unsent }: Restored): string[] {
  const number = (value: number | undefined) => (value ?? 0).toLocaleString('en-US');
  return [
    `Created        ${new Date(createdAtMs).toISOString()}`,
    `Digest         ${digest}`,
    `Organizations  ${number(counts.organizations)}`,
    `Activities     ${number(counts.activities)}`,
    `Log            ${number(leaves)} leaves`,
    ...compared.map(({ from, leaves: seen, missing }) =>
      missing === 0
        ? `Compared       with the ${number(seen)} leaves seen by ${printable(from)}: none missing`
        : `Compared       with the ${number(seen)} leaves seen by ${printable(from)}: ${number(missing)} missing`,
    ),
    ...(compared.length === 0 ? ['Compared       with nothing: pass --checkpoint to detect changes after this backup'] : []),
    ...accepted.map((line) => `Accepted       ${printable(line)}`),
    ...(unsent.messages + unsent.events + unsent.notices === 0
      ? []
      : [
          `Not sent       ${number(unsent.messages)} messages, ${number(unsent.events)} webhook events and ${number(unsent.notices)} approval notices of the backup: they may have been sent since`,
        ]),
    `Epoch          ${epoch.to}, after ${epoch.from}. Stop every server of the earlier epoch.`,
    'Requests stamped before this moment are refused, not executed: they must be stamped again.',
  ];
}
