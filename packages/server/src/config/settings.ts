import type { z } from 'zod';
import type { NewRootKey } from './new-root-key.ts';
import { admissionSettings } from './settings/admission.ts';
import { auditSettings } from './settings/audit.ts';
import { chainSettings } from './settings/chains.ts';
import { custodySettings } from './settings/custody.ts';
import { limitSettings } from './settings/limits.ts';
import { listeningSettings } from './settings/listening.ts';
import { logSettings } from './settings/log.ts';
import { messageSettings } from './settings/messages.ts';
import { processSettings } from './settings/processes.ts';
import { signInSettings } from './settings/sign-in.ts';
import { storageSettings } from './settings/storage.ts';
import { telemetrySettings } from './settings/telemetry.ts';
import { tlsSettings } from './settings/tls.ts';
import { webhookSettings } from './settings/webhooks.ts';

export type { Setting } from './setting.ts';

/** The settings by area, in the order of the reference. */
export const settingAreas = [
  { title: 'Listening', settings: listeningSettings },
  { title: 'TLS', settings: tlsSettings },
  { title: 'Storage', settings: storageSettings },
  { title: 'Root key', settings: custodySettings },
  { title: 'Processes', settings: processSettings },
  { title: 'Passkeys and OpenID Connect', settings: signInSettings },
  { title: 'Limits of organizations', settings: limitSettings },
  { title: 'Mail and text messages', settings: messageSettings },
  { title: 'Webhooks and push messages', settings: webhookSettings },
  { title: 'Chains', settings: chainSettings },
  { title: 'Transparency log', settings: logSettings },
  { title: 'Audit records', settings: auditSettings },
  { title: 'OpenTelemetry', settings: telemetrySettings },
  { title: 'Connections, rates and queues', settings: admissionSettings },
] as const;

type Areas = (typeof settingAreas)[number]['settings'];
type Intersect<U> = (U extends unknown ? (member: U) => void : never) extends (all: infer All) => void ? All : never;
type Settings = Intersect<Areas>;

/** All settings of the service. Flags, environment, configuration file and the reference are derived from this table. */
export const settings = Object.assign({}, ...settingAreas.map((area) => area.settings)) as Settings;

export type SettingName = keyof Settings;

type Parsed<N extends SettingName> = z.output<Settings[N]['schema']>;

/** The parsed settings. A setting without a default may be absent. */
export type Config = {
  readonly [N in SettingName as Settings[N] extends { default: string } ? N : never]: Parsed<N>;
} & {
  readonly [N in SettingName as Settings[N] extends { default: string } ? never : N]?: Parsed<N>;
} & {
  /** The next root key, if `COUNTERSIGN_NEW_…` variables name one: during a rotation, the service uses both. */
  readonly newRootKey?: NewRootKey;
};
