import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { OperatorError } from '@countersign/contract';
import { privateFileObjection } from './private-file.ts';
import { environmentName, flagName } from './setting-names.ts';
import { type Config, type Setting, type SettingName, settings } from './settings.ts';

/** A setting is invalid. The message names the setting and the expected value. */
export class ConfigError extends OperatorError {
  override readonly name = 'ConfigError';
}

/**
 * Reads settings from flags (first), the environment, `_FILE` variants of the environment, and defaults.
 * Throws ConfigError for an invalid value.
 */
export function readConfig(
  flags: Partial<Record<SettingName, string>>,
  environment: Readonly<Record<string, string | undefined>>,
): Config {
  const config: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(settings) as [SettingName, Setting][]) {
    const variable = environmentName(name);
    const source =
      flags[name] !== undefined ? `--${flagName(name)}` : environment[variable] !== undefined ? variable : `${variable}_FILE`;
    const text =
      flags[name] ?? environment[variable] ?? readNamedFile(`${variable}_FILE`, environment, setting) ?? setting.default;
    if (text === undefined) continue;
    const parsed = setting.schema.safeParse(text);
    if (!parsed.success) {
      const problem = parsed.error.issues[0]?.message ?? 'is not valid';
      // SECURITY: never repeat the value of a secret.
      const shown = setting.secret ? '' : ` (given: ${JSON.stringify(text)})`;
      throw new ConfigError(`${source} ${problem}${shown}`, `${setting.describe}. Correct ${source} and start again.`);
    }
    config[name] = parsed.data;
  }
  return config as Config;
}

function readNamedFile(
  variable: string,
  environment: Readonly<Record<string, string | undefined>>,
  { secret }: Setting,
): string | undefined {
  const path = environment[variable];
  if (path === undefined) return undefined;
  if (secret) return readSecretFile(variable, path);
  try {
    return withoutLineEnd(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw unreadable(variable, path, cause);
  }
}

/**
 * Reads a secret from the file that a variable names, without the trailing line break.
 * Throws ConfigError if the file cannot be read, or if other users can read it.
 */
export function readSecretFile(variable: string, path: string): string {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    // SECURITY: check the open file, so that it cannot be swapped between check and read.
    const objection = privateFileObjection(path, fstatSync(file), 'change the secret');
    if (objection !== undefined) {
      throw new ConfigError(`${variable} names a file that ${objection.problem}: ${path}`, objection.fix);
    }
    return withoutLineEnd(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw cause instanceof ConfigError ? cause : unreadable(variable, path, cause);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

const withoutLineEnd = (text: string) => text.replace(/\r?\n$/, '');

function unreadable(variable: string, path: string, cause: unknown): ConfigError {
  return new ConfigError(`${variable} names a file that cannot be read: ${path}`, 'Check the path and its permissions.', {
    cause,
  });
}
