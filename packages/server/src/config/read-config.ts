import { readFileSync } from 'node:fs';
import { type Config, environmentName, flagName, type Setting, type SettingName, settings } from './settings.ts';

/** A setting that cannot be used: one line that names the setting and what it must be. */
export class ConfigFault extends Error {
  override readonly name = 'ConfigFault';
  readonly fix: string;

  constructor(message: string, fix: string, options?: ErrorOptions) {
    super(message, options);
    this.fix = fix;
  }
}

/**
 * Settings from flags (highest), the environment, `_FILE` variants of the environment, and defaults.
 * Throws ConfigFault for a value that does not fit.
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
    const text = flags[name] ?? environment[variable] ?? readNamedFile(`${variable}_FILE`, environment) ?? setting.default;
    if (text === undefined) continue;
    const parsed = setting.schema.safeParse(text);
    if (!parsed.success) {
      const problem = parsed.error.issues[0]?.message ?? 'is not valid';
      // SECURITY: a secret's value is never repeated.
      const shown = setting.secret ? '' : ` (given: ${JSON.stringify(text)})`;
      throw new ConfigFault(`${source} ${problem}${shown}`, `${setting.describe}. Correct ${source} and start again.`);
    }
    config[name] = parsed.data;
  }
  return config as Config;
}

function readNamedFile(variable: string, environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const path = environment[variable];
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    throw new ConfigFault(`${variable} names a file that cannot be read: ${path}`, 'Check the path and its permissions.', {
      cause,
    });
  }
}
