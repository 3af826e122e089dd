export {
  besidePolicies,
  byGroup,
  coversAny,
  decideRequest,
  explainRequest,
  harms,
  olderLimits,
  organizationOf,
  policyOptions,
  recordOf,
  released,
  releasedWords,
  rulesThatHashesAvoid,
  type StricterPolicy,
  signedNamespaces,
  spelling,
  stricterPolicies,
  WORST_CASE_STEPS,
  withRawContent,
  worstCase,
  worstCaseWords,
} from '@countersign/judgement';
export { secp256k1Engine } from './auth/api-key/secp256k1-engine.ts';
export { type AcceptedClock, acceptClock } from './commands/accept-clock.ts';
export { type Archived, type ArchiveOptions, archive } from './commands/archive.ts';
export { type BackedUp, type BackupOptions, backup } from './commands/backup.ts';
export type { LogVerdict } from './commands/compare-with-seen.ts';
export {
  type DevelopmentMail,
  type ParkedMessage,
  readDevelopmentMail,
  readParkedMessages,
} from './commands/development-mail.ts';
export type { Advice } from './commands/doctor/advice.ts';
export { runDoctor } from './commands/doctor/doctor.ts';
export type { Finding } from './commands/doctor/finding.ts';
export { type FirstCredentials, type FirstNames, type Initialized, initialize } from './commands/initialize.ts';
export { type Recovery, recover } from './commands/recover.ts';
export { type Restored, type RestoreOptions, restore } from './commands/restore.ts';
export { afterRotation, rotateDataKeys, rotateRootKey } from './commands/rotate.ts';
export { type RootLogSettings, type RunningRootLog, startRootLog } from './commands/start-root-log.ts';
export { type RouteSettings, type RunningRouter, startRouter } from './commands/start-router.ts';
export { type RunningWitness, startWitness, type WitnessSettings } from './commands/start-witness.ts';
export { giveShare, readShareFile, reshareRootKey, sealRootKeys } from './commands/unseal.ts';
export { checkGasSponsors } from './config/gas-sponsors.ts';
export {
  type Config,
  ConfigError,
  configFileSchema,
  configProblems,
  DEFAULT_CONFIG_FILE,
  environmentName,
  flagName,
  isMasked,
  readConfig,
  readConfigFile,
  reloadable,
  resolveSetting,
  type Setting,
  type SettingName,
  type Sources,
  settingAreas,
  settings,
} from './config/index.ts';
export { VERSION } from './config/version.ts';
export { checkTransportSettings } from './http/transport/check-settings.ts';
export { MAILBOX_SIZE, type MailboxEntry } from './notify/mail/mailbox.ts';
export { type RunningServer, startServer } from './start-server.ts';
export { StoreError } from './store/store-errors.ts';
export { checkTelemetrySettings } from './telemetry/open-telemetry.ts';
export { VaultError } from './vault/errors.ts';
