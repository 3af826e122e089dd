import { generateApiKey } from '@countersign/client';
import { setupLink } from '@countersign/contract';
import type { Command } from 'commander';
import { addConnectionFlags, type ConnectionFlags, connect, readCredentials } from '../connection.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { jsonText, paintFor } from '../terminal.ts';

interface Flags extends ConnectionFlags {
  readonly user?: string;
  readonly consoleUrl?: string;
  readonly json?: true;
}

/** `setup-link`: a link for registering a passkey in the console. */
export function addSetupLink(program: Command, context: Context): void {
  const command = program
    .command('setup-link')
    .helpGroup('Credentials:')
    .summary('Create a link to the console that registers one passkey of a user')
    .description(
      'Creates a key on this machine that can only register one passkey of a user, and prints the link to the console that contains it.\n' +
        'An earlier link of the same user expires. The request needs the same approval as a passkey for that user: the root quorum.',
    )
    .option('--user <id>', 'the user; by default the user of the credentials')
    .option('--console-url <url>', 'address of the console; /console/ of the service by default');
  addConnectionFlags(command)
    .optionsGroup('Output:')
    .option('--json', 'print the link as JSON')
    .addHelpText('after', '\nExample:\n  $ countersign setup-link --console-url https://keys.example.com/console/')
    .action(async (flags: Flags) => {
      const { stdout } = context;
      const { baseUrl, organizationId } = readCredentials(context, flags);
      const console = consoleAddress(flags.consoleUrl ?? new URL('/console/', baseUrl).href);
      const client = connect(context, flags);
      const userId = flags.user ?? (await client.whoami()).userId;
      const { apiPublicKey: publicKey, apiPrivateKey: token } = generateApiKey();
      const { activity } = await client.createSetupKey({ userId, publicKey });
      const link = setupLink(console, { organizationId, userId, token });
      if (flags.json) return stdout.write(`${jsonText({ link, activityId: activity.id, status: activity.status })}\n`);
      const paint = paintFor(context, stdout);
      const waits =
        activity.status === 'ACTIVITY_STATUS_COMPLETED'
          ? 'It works once and expires after a day.'
          : `It works once and expires after a day. Others must approve activity ${activity.id} first.`;
      stdout.write(
        `${link}\n\n${waits} ${paint('yellow', 'The first person to open it becomes this user:')} send it to no one else.\n`,
      );
    });
}

/** The address with a trailing slash. Passkeys need a host name, so a loopback address becomes `localhost`. */
function consoleAddress(given: string): string {
  if (!URL.canParse(given))
    throw new UsageError(`The address of the console is not a URL: ${given}`, 'Pass a full URL: http://localhost:8787/console/.');
  const url = new URL(given);
  if (['127.0.0.1', '[::1]', '0.0.0.0'].includes(url.hostname)) url.hostname = 'localhost';
  return `${url.origin}${url.pathname.replace(/\/*$/, '/')}`;
}
