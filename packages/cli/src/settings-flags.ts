import type { Config, Setting, SettingName } from '@countersign/server';
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
  const secrets: string[] = [];
  for (const [name, setting] of Object.entries<Setting>(settings)) {
    const variable = environmentName(name);
    const { secret = false, default: preset = '' } = setting;
    if (secret) secrets.push(`${variable} or ${variable}_FILE: ${setting.describe}`);
    if (secret && !flaggedSecrets.has(name)) continue;
    const isSwitch = preset === 'true' || preset === 'false';
    const notes = [preset === '' ? '' : `default: ${preset}`, variable, secret ? 'safer there than on a command line' : ''];
    const option = new Option(
      `--${flagName(name)} ${isSwitch ? '[true|false]' : '<value>'}`,
      `${setting.describe} (${notes.filter((note) => note !== '').join('; ')})`,
    );
    if (storageOnly && !storageSettings.has(name)) option.hideHelp();
    command.addOption(option);
  }
  command.addHelpText(
    'after',
    `\nSecrets come from the environment, or from a file named there:\n${secrets.map((line) => `  ${line}`).join('\n')}`,
  );
}

/** Reads the configuration from flags and the environment. Throws UsageError if it is invalid. */
export function configFrom({ environment }: Context, server: Server, flags: Readonly<Record<string, unknown>>): Config {
  const given = Object.keys(server.settings)
    .filter((name) => flags[name] !== undefined)
    .map((name) => [name, String(flags[name])]);
  try {
    return server.readConfig(Object.fromEntries(given), environment);
  } catch (error) {
    if (!(error instanceof server.ConfigError)) throw error;
    throw new UsageError(error.message, error.fix, { cause: error });
  }
}
