import { type RootKeyProviderName, rootKeySettings } from './root-key-settings.ts';
import { readSecretFile } from './secret-file.ts';
import { environmentName } from './setting-names.ts';

/** The target of a root key rotation: its provider, and the settings of the new key. */
export interface NewRootKey {
  readonly provider: RootKeyProviderName;
  readonly settings: Readonly<Record<string, string>>;
}

const providers = Object.entries(rootKeySettings) as [RootKeyProviderName, { readonly rotateTo: readonly string[] }][];

/** The variable for a setting of the new key: the name of the setting with the prefix `new`. */
const newVariable = (setting: string) => environmentName(`new${setting.charAt(0).toUpperCase()}${setting.slice(1)}`);

/** All variables that configure the new key of a rotation. */
export const newRootKeyVariables: readonly string[] = providers.flatMap(([, { rotateTo }]) =>
  rotateTo.flatMap((setting) => [newVariable(setting), `${newVariable(setting)}_FILE`]),
);

/** The new root key from the environment, or a new key file by default. Throws ConfigError for a file that must not or cannot be read. */
export function readNewRootKey(environment: Readonly<Record<string, string | undefined>>): NewRootKey {
  const settings: Record<string, string> = {};
  for (const setting of providers.flatMap(([, { rotateTo }]) => rotateTo)) {
    const variable = newVariable(setting);
    const file = environment[`${variable}_FILE`];
    const value = environment[variable] ?? (file === undefined ? undefined : readSecretFile(`${variable}_FILE`, file));
    if (value !== undefined) settings[setting] = value;
  }
  const [provider] = providers.find(([, { rotateTo }]) => rotateTo.some((setting) => settings[setting] !== undefined)) ?? [
    'file',
  ];
  return { provider, settings };
}
