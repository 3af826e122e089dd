import { ConfigError } from './config-error.ts';
import type { ConfigFile } from './config-file.ts';
import { readNewRootKey } from './new-root-key.ts';
import { isMasked, type ResolvedSetting, resolveSetting, type Sources } from './resolve-settings.ts';
import { type Config, type SettingName, settings } from './settings.ts';

/**
 * Reads settings from flags (first), the environment, `_FILE` variants of the environment, the configuration file, and defaults.
 * Throws ConfigError for an invalid value.
 */
export function readConfig(flags: Sources['flags'], environment: Sources['environment'], file?: ConfigFile): Config {
  const config: Record<string, unknown> = {};
  for (const name of Object.keys(settings) as SettingName[]) {
    const value = parseSetting(resolveSetting(name, { flags, environment, file }));
    if (value !== undefined) config[name] = value;
  }
  const { provider, settings: newSettings } = readNewRootKey(environment);
  if (Object.keys(newSettings).length > 0) config.newRootKey = { provider, settings: newSettings };
  return config as Config;
}

/** All problems of a configuration. Empty if it can be used. */
export function configProblems(sources: Sources): readonly ConfigError[] {
  const problems: ConfigError[] = [];
  for (const name of Object.keys(settings) as SettingName[]) {
    try {
      parseSetting(resolveSetting(name, sources));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(error);
    }
  }
  return problems;
}

function parseSetting({ name, setting, text, origin = name }: ResolvedSetting): unknown {
  if (text === undefined) return undefined;
  const parsed = setting.schema.safeParse(text);
  if (parsed.success) return parsed.data;
  const problem = parsed.error.issues[0]?.message ?? 'is not valid';
  const shown = isMasked(setting, text) ? '' : ` (given: ${JSON.stringify(text)})`;
  throw new ConfigError(`${origin} ${problem}${shown}`, `${setting.describe}. Correct ${origin} and start again.`);
}
