import { existsSync } from 'node:fs';
import type { Config, Setting, SettingName, Sources } from '@countersign/server';
import { type Command, Option } from 'commander';
import type { Context } from './context.ts';
import { UsageError } from './errors.ts';

type Server = typeof import('@countersign/server');

/** Secrets that have a flag for compatibility. Other processes can read a command line. */
const flaggedSecrets: ReadonlySet<string> = new Set(['databaseUrl'] satisfies SettingName[]);

/** Settings for the location of data and keys. Commands other than `serve` show only these in their help. */
const storageSettings: ReadonlySet<string> = new Set([
  'dataDir',
  'databaseUrl',
  'rootKeyFile',
  'pkcs11Uri',
  'pkcs11Module',
  'pkcs11PinFile',
  'unsealSocket',
  'shareThreshold',
  'shareRecipients',
  'shareDirectory',
  'tpmKeyFile',
  'tpmPcrs',
  'transitUrl',
  'transitTokenFile',
  'transitCaFile',
  'awsKmsKey',
  'rootKeyProviders',
  'allowUnsafeDatabase',
  'logAnchor',
] satisfies SettingName[]);

/**
 * Adds a flag per setting of the server. With `storageOnly` the command accepts the other flags but does not
 * show them, so the flags of `serve` work for all commands.
 */
export function addSettingFlags(command: Command, server: Server, { storageOnly = false } = {}): void {
  const { settings, flagName, environmentName } = server;
  command.optionsGroup('Settings:');
  command.option('--config <file>', 'configuration file (COUNTERSIGN_CONFIG; /etc/countersign/countersign.yaml if it exists)');
  const secrets: string[] = [];
  for (const [name, setting] of Object.entries<Setting>(settings)) {
    const variable = environmentName(name);
    const { secret = false, default: preset = '' } = setting;
    const choices = setting.choices ?? (preset === 'true' || preset === 'false' ? '[true|false]' : '<value>');
    if (secret) secrets.push(`${variable} or ${variable}_FILE: ${setting.describe}`);
    if (secret && !flaggedSecrets.has(name)) continue;
    const notes = [preset === '' ? '' : `default: ${preset}`, variable, secret ? 'safer there than on a command line' : ''];
    const option = new Option(
      `--${flagName(name)} ${choices}`,
      `${setting.describe} (${notes.filter((note) => note !== '').join('; ')})`,
    );
    if (storageOnly && !storageSettings.has(name)) option.hideHelp();
    command.addOption(option);
  }
  command.addHelpText(
    'after',
    `\nSecrets come from the environment, a file named there, or the configuration file:\n${secrets.map((line) => `  ${line}`).join('\n')}`,
  );
}

/** Reads the configuration from flags, the environment and the configuration file. Throws UsageError if it is invalid. */
export async function configFrom(context: Context, server: Server, flags: Readonly<Record<string, unknown>>): Promise<Config> {
  return orUsageError(server, async () => {
    const { flags: given, environment, file } = await configSources(context, server, flags);
    return server.readConfig(given, environment, file);
  });
}

/** Where the settings of a command come from. Throws ConfigError for a configuration file that cannot be used. */
export async function configSources(
  { environment }: Context,
  server: Server,
  flags: Readonly<Record<string, unknown>>,
): Promise<Sources> {
  const given = Object.keys(server.settings)
    .filter((name) => flags[name] !== undefined)
    .map((name) => [name, String(flags[name])]);
  // SECURITY: D605: every user of the machine can read the command line of a process.
  if (/\/\/[^/@]*:[^/@]*@|[?&]password=/.test(String(flags.databaseUrl)))
    throw new server.ConfigError(
      '--database-url contains a password, which other users of this machine can read.',
      'Set COUNTERSIGN_DATABASE_URL_FILE to a file with the URL, or databaseUrlFile in the configuration file.',
    );
  const named = (flags.config as string | undefined) ?? environment.COUNTERSIGN_CONFIG;
  const path = named ?? (existsSync(server.DEFAULT_CONFIG_FILE) ? server.DEFAULT_CONFIG_FILE : undefined);
  const file = path === undefined ? undefined : await server.readConfigFile(path);
  return { flags: Object.fromEntries(given), environment, file };
}

/** Reports an invalid configuration as the mistake of a caller. */
export async function orUsageError<T>(server: Server, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof server.ConfigError)) throw error;
    throw new UsageError(error.message, error.fix, { cause: error });
  }
}
