export { nearest, refuseUnknownVariables, settingVariables } from './environment.ts';
export { type NewRootKey, newRootKeyVariables, readNewRootKey } from './new-root-key.ts';
export { ConfigError, readConfig, readSecretFile } from './read-config.ts';
export { environmentName, flagName } from './setting-names.ts';
export { type Config, type Setting, type SettingName, settings } from './settings.ts';
