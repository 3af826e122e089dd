import type { DevelopmentMail, MailboxEntry, ParkedMessage } from '@countersign/server';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { fillLazily } from '../lazy-command.ts';
import { renderFields } from '../render.ts';
import { addSettingFlags, configFrom } from '../settings-flags.ts';
import { jsonText, paintFor, printable } from '../terminal.ts';

const example = `
Example:
  $ countersign mail --limit 1`;

interface MailFlags {
  readonly limit: string;
  readonly parked?: true;
  readonly json?: true;
}

/** `mail`: shows the messages that a service without a mail server stored. */
export function addMail(program: Command, context: Context): void {
  const command = program.command('mail').helpGroup('Service:').summary('Show the development mailbox');
  fillLazily(command, async () => {
    command.description(
      'Shows the newest mails and text messages in the development mailbox, used when no mail server is configured,\n' +
        'and the address of a page that shows them. It needs the root key, because messages contain credentials and are stored encrypted.',
    );
    addSettingFlags(command, await import('@countersign/server'), { storageOnly: true });
    command
      .optionsGroup('Output:')
      .option('--limit <count>', 'number of messages, 1 to 100', '3')
      .option('--parked', 'show the messages that a mail server rejected permanently, without their content')
      .option('--json', 'print the messages as JSON, with their HTML')
      .addHelpText('after', example);
  });
  command.action(async (flags: MailFlags & Record<string, unknown>) => {
    const server = await import('@countersign/server');
    const config = await configFrom(context, server, flags);
    const limit = toLimit(flags.limit, server.MAILBOX_SIZE);
    const { stdout } = context;
    if (flags.parked) {
      const parked = await server.readParkedMessages(config, limit);
      return stdout.write(flags.json ? `${jsonText(parked)}\n` : showParked(context, parked));
    }
    const mail = await server.readDevelopmentMail(config, limit);
    stdout.write(flags.json ? `${jsonText(mail)}\n` : show(context, mail));
  });
}

function toLimit(text: string, most: number): number {
  const limit = Number(text);
  if (/^\d{1,3}$/.test(text) && limit >= 1 && limit <= most) return limit;
  throw new UsageError(`--limit must be a whole number from 1 to ${most}.`, 'Omit it to see the newest three.');
}

function show(context: Context, { entries, page }: DevelopmentMail): string {
  const paint = paintFor(context, context.stdout);
  const lines = entries.flatMap((entry) => [...message(entry, context), '']);
  if (entries.length === 0) lines.push('The development mailbox is empty.', '');
  if (page !== undefined) lines.push(`${paint('cyan', 'In a browser, while the service runs:')} ${page}`);
  return `${lines.join('\n').trimEnd()}\n`;
}

function message({ to, subject, text, channel, deliveredAtMs, expiresAtMs }: MailboxEntry, context: Context): string[] {
  const paint = paintFor(context, context.stdout);
  const fields = {
    to,
    by: channel === 'SMS' ? 'text message' : 'e-mail',
    sent: new Date(deliveredAtMs).toISOString(),
    'good until': new Date(expiresAtMs).toISOString(),
  };
  return [
    paint('bold', subject === '' ? 'Text message' : printable(subject)),
    renderFields(fields, { columns: context.stdout.columns, paint }),
    '',
    ...text.split('\n').map((line) => `  ${printable(line)}`.trimEnd()),
  ];
}

function showParked(context: Context, parked: readonly ParkedMessage[]): string {
  if (parked.length === 0) return 'No messages were rejected permanently.\n';
  const paint = paintFor(context, context.stdout);
  const lines = parked.flatMap(({ id, organizationId, attempts, fault, parkedAtMs, expiresAtMs }) => {
    const fields = {
      organization: organizationId,
      attempts,
      'given up': new Date(parkedAtMs).toISOString(),
      'removed at': new Date(expiresAtMs).toISOString(),
    };
    return [paint('bold', `${id}: ${printable(fault)}`), renderFields(fields, { columns: context.stdout.columns, paint }), ''];
  });
  return `${lines.join('\n').trimEnd()}\n`;
}
