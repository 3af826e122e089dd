import type { Command } from 'commander';
import { addConnectionFlags, type ConnectionFlags, connect, readCredentials } from '../connection.ts';
import type { Context } from '../context.ts';
import { addOutputFlags, checkQuery, type OutputFlags, writeResult } from '../output/output.ts';
import { DEFAULT_PROFILE, profileFile, profileNames, writeSecretFile } from '../profiles.ts';
import { renderFields } from '../render.ts';
import { jsonText, paintFor } from '../terminal.ts';

/** `login`: checks a connection and keeps it as a profile, so that other commands need no flags. */
export function addLogin(program: Command, context: Context): void {
  const command = program
    .command('login')
    .argument('[profile]', 'the name to keep it under', DEFAULT_PROFILE)
    .helpGroup('Credentials:')
    .summary('Keep a server, an organization and a key as a profile for other commands');
  addConnectionFlags(command)
    .optionsGroup('Output:')
    .option('--json', 'print the profile, without the key, as JSON')
    .addHelpText('after', '\nExample:\n  $ countersign login work --url https://keys.example.com --credentials ann.json')
    .action(async (name: string, flags: ConnectionFlags & { json?: true }) => {
      const { stdout } = context;
      const file = profileFile(context, name);
      const credentials = readCredentials(context, flags);
      const { organizationName, username, userId } = await connect(context, flags).whoami();
      writeSecretFile(file, credentials, { replace: true });
      const { baseUrl: service, organizationId } = credentials;
      if (flags.json) return stdout.write(`${jsonText({ profile: name, service, organizationId, userId, file })}\n`);
      const paint = paintFor(context, stdout);
      const shown = {
        profile: name,
        service,
        organization: `${organizationName} (${organizationId})`,
        user: `${username} (${userId})`,
        file,
      };
      const use =
        name === DEFAULT_PROFILE ? 'Commands use it where no other credentials are named.' : `Use it with --profile ${name}.`;
      stdout.write(`${renderFields(shown, { columns: stdout.columns, paint })}\n\n${use}\n`);
    });
  const profiles = program.command('profiles').helpGroup('Credentials:').summary('List the profiles that login kept');
  addOutputFlags(profiles, 'print the names as JSON')
    .addHelpText('after', '\nExample:\n  $ countersign profiles')
    .action(async (flags: OutputFlags) => {
      await checkQuery(flags);
      const names = profileNames(context);
      if (flags.json) return context.stdout.write(`${jsonText(names)}\n`);
      const readable = () => (names.length === 0 ? 'none: "countersign login" makes one\n' : `${names.join('\n')}\n`);
      await writeResult(context, flags, names, readable);
    });
}
