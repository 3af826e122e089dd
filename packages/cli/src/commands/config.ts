import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { CliError } from '../errors.ts';
import { fillLazily } from '../lazy-command.ts';
import { addSettingFlags, configSources, orUsageError } from '../settings-flags.ts';
import { jsonText, paintFor } from '../terminal.ts';

type Server = typeof import('@countersign/server');
type Flags = { readonly json?: true } & Readonly<Record<string, unknown>>;

const example = `
Example:
  $ countersign config check --config countersign.yaml`;

/** `config`: checks and shows the settings of the service without starting it. */
export function addConfig(program: Command, context: Context): void {
  const config = program.command('config').helpGroup('Service:').description('Check and show the settings of the service');
  const add = (name: string, summary: string, description: string, action: (server: Server, flags: Flags) => Promise<void>) => {
    const command = config.command(name).summary(summary);
    fillLazily(command, async () => {
      command.description(description);
      addSettingFlags(command, await import('@countersign/server'), { storageOnly: true });
      command.optionsGroup('Output:').option('--json', 'print the result as JSON').addHelpText('after', example);
    });
    command.action(async (flags: Flags) => action(await import('@countersign/server'), flags));
  };
  add(
    'check',
    'Check the settings',
    'Reads flags, environment and configuration file like serve, and lists every problem: unknown names, invalid values, files that cannot be used. Opens no port and no database.',
    (server, flags) => check(context, server, flags),
  );
  add(
    'show',
    'Show every setting and its origin',
    'Shows every setting with its value, where the value comes from, and whether a change needs a restart. Secrets are masked.',
    (server, flags) => show(context, server, flags),
  );
  const schema = config.command('schema').summary('Print the JSON Schema of countersign.yaml');
  schema.description('Prints the JSON Schema of countersign.yaml, for editors and other checkers.');
  schema.action(async () => {
    const { configFileSchema } = await import('@countersign/server');
    context.stdout.write(`${JSON.stringify(configFileSchema(), undefined, 2)}\n`);
  });
}

async function check(context: Context, server: Server, flags: Flags): Promise<void> {
  const { stdout } = context;
  const problems = await findProblems(context, server, flags);
  const file = problems.length === 0 ? (await configSources(context, server, flags)).file?.path : undefined;
  if (flags.json) stdout.write(`${jsonText({ ok: problems.length === 0, file, problems })}\n`);
  if (problems.length > 0) {
    const [first, ...rest] = problems.map(({ problem }) => problem);
    throw new CliError([first, ...rest].join('\n       '), problems.map(({ fix }) => fix).join('\n       '));
  }
  if (!flags.json) stdout.write(`${paintFor(context, stdout)('green', 'The settings are valid.')} ${source(file)}\n`);
}

const source = (file: string | undefined) =>
  file === undefined ? 'There is no configuration file.' : `Configuration file: ${file}`;

interface Problem {
  readonly problem: string;
  readonly fix: string;
}

async function findProblems(context: Context, server: Server, flags: Flags): Promise<readonly Problem[]> {
  const shown = ({ message, fix }: InstanceType<Server['ConfigError']>): Problem => ({ problem: message, fix });
  try {
    const sources = await configSources(context, server, flags);
    const invalid = server.configProblems(sources).map(shown);
    if (invalid.length > 0) return invalid;
    const config = server.readConfig(sources.flags, sources.environment, sources.file);
    server.checkTransportSettings(config);
    server.checkTelemetrySettings(config);
    server.checkGasSponsors(config);
    return [];
  } catch (error) {
    if (error instanceof server.ConfigError) return [shown(error)];
    throw error;
  }
}

/** Shown in place of a secret, however long it is. */
const MASK = '********';

async function show(context: Context, server: Server, flags: Flags): Promise<void> {
  const { stdout } = context;
  const sources = await orUsageError(server, () => configSources(context, server, flags));
  const rows = await orUsageError(server, async () =>
    server.settingAreas.flatMap(({ settings }) =>
      Object.keys(settings).map((name) => {
        const { text, origin, setting } = server.resolveSetting(name as keyof typeof server.settings, sources);
        return {
          name,
          value: text !== undefined && server.isMasked(setting, text) ? MASK : text,
          origin: origin ?? (text === undefined ? 'not set' : 'default'),
          reload: server.reloadable.has(name),
        };
      }),
    ),
  );
  if (flags.json) return stdout.write(`${jsonText({ file: sources.file?.path, settings: rows })}\n`);
  const paint = paintFor(context, stdout);
  const width = Math.max(...rows.map(({ name }) => name.length));
  const lines = rows.map(({ name, value = '', origin, reload }) => {
    const isSet = origin !== 'default' && origin !== 'not set';
    const notes = `${origin}${reload ? ', applied on SIGHUP' : ''}`;
    return `${name.padEnd(width)}  ${value}${value === '' ? '' : '  '}${paint(isSet ? 'cyan' : 'dim', `(${notes})`)}`;
  });
  stdout.write(`${source(sources.file?.path)}\n\n${lines.join('\n')}\n`);
}
