export { ConfigError } from './config-error.ts';
export { refuseUnknownVariables, settingVariables } from './environment.ts';
export { type NewRootKey, newRootKeyVariables, readNewRootKey } from './new-root-key.ts';
export { readConfig } from './read-config.ts';
export { environmentName, flagName } from './setting-names.ts';
export { type Config, type Setting, type SettingName, settingAreas, settings } from './settings.ts';
