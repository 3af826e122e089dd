export { nearest, refuseUnknownVariables, settingVariables } from './environment.ts';
export { ConfigFault, readConfig, readSecretFile } from './read-config.ts';
export { type Config, environmentName, flagName, type Setting, type SettingName, settings } from './settings.ts';
