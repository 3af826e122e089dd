import { readFileSync } from 'node:fs';
import { ConfigError } from './config-error.ts';
import { readSecretFile, unreadable, withoutLineEnd } from './secret-file.ts';
import { environmentName, flagName } from './setting-names.ts';
import { type Config, type Setting, type SettingName, settings } from './settings.ts';

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
      // SECURITY: never repeat the value of a secret. Several lines may be a key that was given in place of its file.
      const shown = setting.secret || text.includes('\n') ? '' : ` (given: ${JSON.stringify(text)})`;
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
