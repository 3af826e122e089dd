export { policyOptions, selfServiceResources, signedNamespaces, spelling } from '@countersign/judgement';
export { type AcceptedClock, acceptClock } from './accept-clock.ts';
export type { Advice } from './advice.ts';
export { type Archived, type ArchiveOptions, archive } from './archive.ts';
export { secp256k1Engine } from './auth/secp256k1-engine.ts';
export { type BackedUp, type BackupOptions, backup } from './backup.ts';
export {
  type Config,
  ConfigFault,
  environmentName,
  flagName,
  readConfig,
  type Setting,
  type SettingName,
  settings,
} from './config/index.ts';
export { type DevelopmentMail, type ParkedMessage, readDevelopmentMail, readParkedMessages } from './development-mail.ts';
export { runDoctor } from './doctor.ts';
export type { Finding } from './finding.ts';
export { type FirstCredentials, type FirstNames, type Initialized, initialize } from './initialize.ts';
export { MAILBOX_SIZE, type MailboxEntry } from './mail/mailbox.ts';
export { type LogVerdict, type Recovery, recover } from './recover.ts';
export { type Restored, type RestoreOptions, restore } from './restore.ts';
export { type NewRootKey, rotateRootKey } from './rotate.ts';
export { type RunningServer, startServer } from './start-server.ts';
export { type RunningWitness, startWitness, type WitnessSettings } from './start-witness.ts';
export { StoreFault } from './store/store-faults.ts';
export { VaultFault } from './vault/faults.ts';
export { VERSION } from './version.ts';
