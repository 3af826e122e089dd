import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Config, RunningServer } from '@countersign/server';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { fillLazily } from '../lazy-command.ts';
import { writeSecretText } from '../profiles.ts';
import { renderFields } from '../render.ts';
import { addSettingFlags, configFrom } from '../settings-flags.ts';
import { nextCommand } from '../shell-quote.ts';
import { jsonText, paintFor } from '../terminal.ts';

const example = `
Example:
  $ countersign serve --port 8787 --data-dir ./countersign-data`;

interface ServeFlags {
  readonly dataDir?: string;
  readonly json?: true;
}

/** `serve`: runs the service until it is stopped. */
export function addServe(program: Command, context: Context): void {
  const command = program.command('serve').helpGroup('Service:').summary('Run the service');
  fillLazily(command, async () => {
    command.description('Runs the service. The first run creates the data directory, root key, organization and API key.');
    addSettingFlags(command, await import('@countersign/server'));
    command
      .optionsGroup('Output:')
      .option('--json', 'print one line of JSON with "url" when ready')
      .addHelpText('after', example);
  });
  command.action(async (flags: ServeFlags & Record<string, unknown>) => {
    const server = await import('@countersign/server');
    const config = await configFrom(context, server, flags);
    // Before this point a signal ends the process immediately: no request is in flight yet.
    const running = await server.startServer(config);
    const stopped = context.untilStopped();
    const { url, compatibleUrl, consoleUrl, setupLink, firstRun, credentialsFile, dataLocation, warnings } = running;
    const isShown = context.stdout.isTerminal && !flags.json;
    // SECURITY: other output than a terminal may be stored and read by others. The first person to open the link becomes the root user.
    const setupLinkFile = setupLink === undefined || isShown ? undefined : writeSetupLink(config.dataDir, setupLink);
    const hint = ['whoami', ...dataDirFlag(flags)];
    context.stdout.write(
      flags.json
        ? `${jsonText({ url, compatibleUrl, consoleUrl, firstRun, credentialsFile, setupLinkFile, dataLocation, warnings })}\n`
        : summary(context, running, hint, setupLinkFile),
    );
    context.onHangup(() => void reload(context, running, () => configFrom(context, server, flags)));
    await stopped;
    if (!flags.json) context.stderr.write('Stopping after the requests in flight.\n');
    await running.close();
  });
}

/** Reads the configuration again. One that is not valid changes nothing. */
async function reload({ stderr }: Context, running: RunningServer, read: () => Promise<Config>): Promise<void> {
  try {
    const { applied, needRestart } = running.reload(await read());
    stderr.write(`Reloaded certificates and settings. Changed settings: ${applied.join(', ') || 'none'}.\n`);
    if (needRestart.length > 0) stderr.write(`These changed settings need a restart: ${needRestart.join(', ')}.\n`);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    stderr.write(`The configuration was not reloaded: ${error.message} ${error.fix}\n`);
  }
}

/** Writes the link to a file that only its owner can read. Returns the path. */
function writeSetupLink(dataDir: string, link: string): string {
  const file = join(dataDir, 'setup-link.txt');
  // A file of an earlier installation would keep its mode.
  rmSync(file, { force: true });
  writeSecretText(file, `${link}\n`);
  return file;
}

const dataDirFlag = ({ dataDir }: ServeFlags) => (dataDir === undefined ? [] : ['--data-dir', dataDir]);

function summary(context: Context, running: RunningServer, hint: readonly string[], setupLinkFile: string | undefined): string {
  const { url, compatibleUrl, consoleUrl, setupLink, firstRun, credentialsFile, dataLocation, facts, warnings } = running;
  const paint = paintFor(context, context.stdout);
  const places = {
    ...(consoleUrl !== undefined && { console: consoleUrl }),
    API: url,
    'for @turnkey SDKs': compatibleUrl,
    data: dataLocation,
    credentials: credentialsFile,
  };
  const lines = [
    paint('green', firstRun ? 'Countersign is ready, with a new organization and an API key for you.' : 'Countersign is ready.'),
    '',
    renderFields(places, { columns: context.stdout.columns, paint }),
    '',
    ...facts.map((fact) => paint('dim', fact)),
    ...warnings.flatMap(({ detail, fix }) => [
      '',
      `${paint('yellow', 'Warning:')} ${detail}`,
      `${paint('cyan', 'Fix:')}     ${fix}`,
    ]),
  ];
  if (setupLink !== undefined)
    lines.push(
      '',
      `${paint('cyan', 'Open the console:')} ${setupLinkFile === undefined ? setupLink : `the link is in ${setupLinkFile}`}`,
      'The link registers your passkey. It works once and expires after a day. The first person to open it becomes the root user.',
    );
  if (firstRun) lines.push('', `${paint('cyan', 'Try next:')} ${nextCommand(hint)}`);
  return `${lines.join('\n')}\n`;
}
