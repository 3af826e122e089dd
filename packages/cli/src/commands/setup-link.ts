import { generateApiKey } from '@countersign/client';
import { setupLink } from '@countersign/contract';
import type { Command } from 'commander';
import { addConnectionFlags, type ConnectionFlags, connect, readCredentials } from '../connection.ts';
import type { Context } from '../context.ts';
import { CliFault } from '../faults.ts';
import { jsonText, paintFor } from '../terminal.ts';

interface Flags extends ConnectionFlags {
  readonly user?: string;
  readonly consoleUrl?: string;
  readonly json?: true;
}

/** `setup-link`: a link with which a user registers a passkey in the console. */
export function addSetupLink(program: Command, context: Context): void {
  const command = program
    .command('setup-link')
    .helpGroup('Credentials:')
    .summary('Make a link to the console with which a user registers a passkey, once')
    .description(
      'Makes a key on this machine that registers one passkey of a user and does nothing else, and prints the link to the console\n' +
        'that holds it. An earlier link of the same user ends. It takes what a passkey for that user takes: the root quorum.',
    )
    .option('--user <id>', 'the user; the one whose credentials are used by default')
    .option('--console-url <url>', 'the address of the console; /console/ of the service by default');
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
          ? 'It works once, and for a day.'
          : `It works once, for a day, and only after others have approved activity ${activity.id}.`;
      stdout.write(
        `${link}\n\n${waits} ${paint('yellow', 'Whoever opens it first becomes this user:')} send it to nobody else.\n`,
      );
    });
}

/** The address with a slash at its end. A browser keeps passkeys for names only, so this machine is `localhost`. */
function consoleAddress(given: string): string {
  if (!URL.canParse(given))
    throw new CliFault(`The address of the console is not a URL: ${given}`, 'Give it in full: http://localhost:8787/console/.');
  const url = new URL(given);
  if (['127.0.0.1', '[::1]', '0.0.0.0'].includes(url.hostname)) url.hostname = 'localhost';
  return `${url.origin}${url.pathname.replace(/\/*$/, '/')}`;
}
