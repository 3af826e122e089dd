import type { BackedUp } from '@countersign/server';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { fillLazily } from '../lazy-command.ts';
import { progressOn } from '../progress.ts';
import { addSettingFlags, configFrom } from '../settings-flags.ts';
import { SilentError } from '../silent-error.ts';
import { jsonText, paintFor } from '../terminal.ts';

const example = `
Example:
  $ countersign backup --data-dir ./countersign-data ./countersign-2026-01-31.backup
  $ countersign backup --recipient age1… /mnt/backups/countersign.backup.age`;

/** `backup`: copies the installation into one file. The service can run. */
export function addBackup(program: Command, context: Context): void {
  const backup = program
    .command('backup <file>')
    .helpGroup('Service:')
    .summary('Copy the installation into one file while it runs');
  fillLazily(backup, async () => {
    backup.description(
      'Copies a consistent snapshot of the database into one file. The service can run. The file can be restored into SQLite and into\n' +
        'PostgreSQL, whichever it came from. Only you can read it, but anyone who has it and the root key has every key: encrypt it\n' +
        'with --recipient if others can access it. It does not contain the root key. Store the root key separately: without it, the backup is useless.',
    );
    addSettingFlags(backup, await import('@countersign/server'), { storageOnly: true });
    backup
      .option(
        '--recipient <age1…>',
        'encrypt to this age recipient; can be repeated',
        (value: string, before: string[]) => [...before, value],
        [],
      )
      .optionsGroup('Output:')
      .option('--json', 'print the result as JSON')
      .addHelpText('after', example);
  });
  backup.action(async (file: string, flags: { json?: true; recipient: string[] } & Record<string, unknown>) => {
    const server = await import('@countersign/server');
    const { json, recipient, ...settings } = flags;
    const { stdout } = context;
    const progress = progressOn(context, { json });
    try {
      const outcome = await server.backup(await configFrom(context, server, settings), {
        file,
        recipients: recipient,
        onProgress: (done, total) => progress.show('copying rows', done, total),
      });
      progress.end();
      if (json) stdout.write(`${jsonText(outcome)}\n`);
      else {
        const paint = paintFor(context, stdout);
        const lines = [...facts(outcome, recipient.length > 0), ...damage(outcome).map((line) => paint('red', line))];
        stdout.write(`${paint('green', `The installation was copied to ${file}.`)}\n${lines.join('\n')}\n`);
      }
      if (outcome.damaged.length > 0) throw new SilentError();
    } finally {
      progress.end();
    }
  });
}

/** Damage that the copy contains, one line each. */
function damage({ damaged }: BackedUp): string[] {
  if (damaged.length === 0) return [];
  const lines = damaged.map(({ check, detail }) => `  ${check}: ${detail}`);
  return ['The database, and so this copy, does not match its log. Run countersign doctor, and keep earlier backups.', ...lines];
}

function facts({ rows, leaves, counts, epoch, digest }: BackedUp, isEncrypted: boolean): string[] {
  const number = (value: number | undefined) => (value ?? 0).toLocaleString('en-US');
  return [
    `Organizations  ${number(counts.organizations)}`,
    `Activities     ${number(counts.activities)}`,
    `Rows           ${number(rows)}`,
    `Log            ${number(leaves)} leaves, ${number(counts.log_queue)} queued`,
    `Epoch          ${epoch ?? 'none yet'}`,
    `Digest         ${digest}`,
    isEncrypted
      ? 'It is encrypted. Store the identity and the root key elsewhere.'
      : 'It is not encrypted. Together with the root key it gives access to every key, so store them separately.',
  ];
}
