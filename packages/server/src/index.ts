export { ConfigFault, readConfig } from './config/read-config.ts';
export { type Config, environmentName, flagName, type Setting, type SettingName, settings } from './config/settings.ts';
export { type Finding, runDoctor } from './doctor.ts';
export { type FirstCredentials, type FirstNames, type Initialized, initialize } from './initialize.ts';
export { type NewRootKey, rotateRootKey } from './rotate.ts';
export { type RunningServer, startServer } from './start-server.ts';
export { StoreFault } from './store/store.ts';
export { VaultFault } from './vault/vault.ts';
export { VERSION } from './version.ts';
