import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { fillLazily } from '../lazy-command.ts';
import { renderFields } from '../render.ts';
import { addSettingFlags, configFrom } from '../settings-flags.ts';
import { nextCommand } from '../shell-quote.ts';
import { jsonText, paintFor } from '../terminal.ts';

const example = `
Example:
  $ countersign init --organization-name "Acme Treasury" --user-name "Operations"`;

interface InitFlags {
  readonly organizationName?: string;
  readonly userName?: string;
  readonly dataDir?: string;
  readonly json?: true;
}

/** `init`: creates the first organization, its root user and that user's API key. */
export function addInit(program: Command, context: Context): void {
  const command = program.command('init').helpGroup('Service:').summary('Create the first organization and its API key');
  fillLazily(command, async () => {
    command
      .description('Creates the data directory, the root key, the first organization and a root user with an API key.')
      .optionsGroup('Names:')
      .option('--organization-name <name>', 'default: First organization (COUNTERSIGN_ORGANIZATION_NAME)')
      .option('--user-name <name>', 'default: Root user (COUNTERSIGN_USER_NAME)');
    addSettingFlags(command, await import('@countersign/server'), { storageOnly: true });
    command
      .optionsGroup('Output:')
      .option('--json', 'print ids and the API key, including its private half, as JSON')
      .addHelpText('after', example);
  });
  command.action(async (flags: InitFlags & Record<string, unknown>) => {
    const { environment, stdout } = context;
    const server = await import('@countersign/server');
    const made = await server.initialize(await configFrom(context, server, flags), {
      organizationName: flags.organizationName ?? environment.COUNTERSIGN_ORGANIZATION_NAME ?? 'First organization',
      userName: flags.userName ?? environment.COUNTERSIGN_USER_NAME ?? 'Root user',
    });
    const { organizationId, userId, apiPublicKey, apiPrivateKey, baseUrl, credentialsFile } = made;
    if (flags.json) {
      return stdout.write(`${jsonText({ organizationId, userId, apiPublicKey, apiPrivateKey, baseUrl })}\n`);
    }
    // SECURITY: do not print the private key. A terminal may be shared or recorded.
    const paint = paintFor(context, stdout);
    const shown = { organization: organizationId, user: userId, 'API key': apiPublicKey, credentials: credentialsFile };
    const serve = ['serve', ...(flags.dataDir === undefined ? [] : ['--data-dir', flags.dataDir])];
    stdout.write(
      `${paint('green', 'The organization is ready.')}\n\n${renderFields(shown, { columns: stdout.columns, paint })}\n\n` +
        `The private key is in the credentials file, which only you can read.\n` +
        `${paint('cyan', 'Next:')} ${nextCommand(serve)}\n`,
    );
  });
}
