import { readFileSync } from 'node:fs';
import type { ConfigFile } from './config-file.ts';
import { readSecretFile, unreadable, withoutLineEnd } from './secret-file.ts';
import type { Setting } from './setting.ts';
import { environmentName, flagName } from './setting-names.ts';
import { type SettingName, settings } from './settings.ts';

/** Where settings come from, strongest first. */
export interface Sources {
  readonly flags: Partial<Record<SettingName, string>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly file?: ConfigFile | undefined;
}

/** The text of a setting before it is parsed. */
export interface ResolvedSetting {
  readonly name: SettingName;
  readonly setting: Setting;
  /** Undefined if the setting is absent and has no default. */
  readonly text: string | undefined;
  /** The flag, the variable, or the file with its line. Undefined for a default. */
  readonly origin: string | undefined;
}

/**
 * Finds the text of a setting: the flag, else the variable, else the file that the `_FILE` variable names, else the configuration file, else
 * the default. Throws ConfigError for a file that must not or cannot be read.
 */
export function resolveSetting(name: SettingName, { flags, environment, file }: Sources): ResolvedSetting {
  const setting: Setting = settings[name];
  const resolved = (text: string | undefined, origin: string | undefined) => ({ name, setting, text, origin });
  if (flags[name] !== undefined) return resolved(flags[name], `--${flagName(name)}`);
  const variable = environmentName(name);
  if (environment[variable] !== undefined) return resolved(environment[variable], variable);
  const path = environment[`${variable}_FILE`];
  if (path !== undefined) return resolved(readValueFile(`${variable}_FILE`, path, setting), `${variable}_FILE`);
  const own = file?.values.get(name);
  if (own !== undefined) return resolved(own.text, own.origin);
  const named = file?.values.get(`${name}File`);
  if (named !== undefined) return resolved(readValueFile(named.origin, named.text, setting), named.origin);
  return resolved(setting.default, undefined);
}

/**
 * Whether a value must not be shown.
 * SECURITY: D605, D761: a value of several lines may be a key that was given in place of its file.
 */
export function isMasked({ secret, hideInvalid, schema }: Setting, text: string): boolean {
  return secret === true || text.includes('\n') || (hideInvalid === true && !schema.safeParse(text).success);
}

function readValueFile(origin: string, path: string, { secret }: Setting): string {
  if (secret) return readSecretFile(origin, path);
  try {
    return withoutLineEnd(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw unreadable(origin, path, cause);
  }
}
