import type { Command } from 'commander';
import { type BrowserLogin, logInByBrowser } from '../browser-login.ts';
import { addConnectionFlags, type ConnectionFlags, connect, placeOf, readCredentials } from '../connection.ts';
import type { Context } from '../context.ts';
import { addOutputFlags, checkQuery, type OutputFlags, writeResult } from '../output/output.ts';
import { DEFAULT_PROFILE, profileFile, profileNames, writeSecretFile } from '../profiles.ts';
import { renderFields } from '../render.ts';
import { jsonText, paintFor } from '../terminal.ts';

type LoginFlags = ConnectionFlags & { readonly browser?: true; readonly console?: string; readonly json?: true };

const examples = `
With --browser, the console in your browser lets in a key that is made here, for a working day: your passkey stamps it. The link has no
secret in it, so it may be opened on another machine.

Examples:
  $ countersign login work --url https://keys.example.com --credentials ann.json
  $ countersign login --browser --url https://keys.example.com --organization-id 0198c1f0-0000-7000-8000-000000000000
  $ countersign login --browser work`;

/** `login`: checks a connection and saves it as a profile, so that other commands need no flags. */
export function addLogin(program: Command, context: Context): void {
  const command = program
    .command('login')
    .argument('[profile]', 'name of the profile', DEFAULT_PROFILE)
    .helpGroup('Credentials:')
    .summary('Save a server, an organization and a key as a profile for other commands');
  command
    .optionsGroup('Passkey:')
    .option('--browser', 'authorize a new key with your passkey in a browser')
    .option('--console <url>', 'address of the console, if it differs from the service');
  addConnectionFlags(command)
    .optionsGroup('Output:')
    .option('--json', 'print the profile, without the key, as JSON')
    .addHelpText('after', examples)
    .action(async (name: string, flags: LoginFlags) => {
      const { stdout } = context;
      const file = profileFile(context, name);
      const { credentials, person } = flags.browser
        ? await logInByBrowser(context, browserLogin(context, name, flags))
        : { credentials: readCredentials(context, flags), person: await connect(context, flags).whoami() };
      const { organizationName, username, userId } = person;
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
  const profiles = program.command('profiles').helpGroup('Credentials:').summary('List the saved profiles');
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

/** Where to log in. An existing profile provides what the flags omit, so that its name is enough for the next login. */
function browserLogin(context: Context, profile: string, flags: LoginFlags): BrowserLogin {
  const isKept = flags.profile === undefined && profileNames(context).includes(profile);
  const { baseUrl, organizationId } = placeOf(context, isKept ? { ...flags, profile } : flags);
  return { baseUrl, organizationId, consoleUrl: flags.console };
}
