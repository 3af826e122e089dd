import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import { ConfigError } from '../config/config-error.ts';
import type { Config } from '../config/settings.ts';
import { VERSION } from '../config/version.ts';
import { isLoopbackHost } from '../network/public-address.ts';
import type { AuditSink } from './audit-sink.ts';
import { type AuditOptions, type AuditTrail, createAuditTrail } from './audit-trail.ts';
import { fileSink } from './file-sink.ts';
import { httpsSink } from './https-sink.ts';
import { type SyslogTarget, syslogSink } from './syslog-sink.ts';

export type AuditSettings = Pick<Config, 'auditSink' | 'auditToken' | 'auditCaFile' | 'auditFileMegabytes' | 'auditRequired'>;

const FORMS =
  'Use file:/path, syslog+tcp://host:514, syslog+tls://host:6514, syslog+udp://host:514, syslog+unix:/path or https://host/path. A token belongs into COUNTERSIGN_AUDIT_TOKEN.';

/** Opens the configured sink. Undefined without one. Throws ConfigError if it cannot be used. */
export async function openAudit(
  settings: AuditSettings,
  log: Logger,
  onRecords: AuditOptions['onRecords'],
): Promise<AuditTrail | undefined> {
  requireSink(settings);
  if (settings.auditSink === undefined) return undefined;
  const sink = await openSink(settings.auditSink, settings);
  return createAuditTrail({ sink, required: settings.auditRequired, version: VERSION, log, onRecords });
}

/** SECURITY: D611: records that are required must not go where a loss is not noticed. */
function requireSink({ auditSink, auditRequired }: AuditSettings): void {
  if (auditRequired && auditSink === undefined)
    throw new ConfigError('--audit-required is set, but no audit sink is configured.', FORMS);
  if (auditRequired && auditSink?.startsWith('syslog+udp:') === true)
    throw new ConfigError(
      'Audit records are required, but UDP does not report lost messages.',
      'Use syslog+tcp, syslog+tls, https or a file, or omit --audit-required.',
    );
}

async function openSink(text: string, settings: AuditSettings): Promise<AuditSink> {
  const { auditToken: token, auditCaFile, auditFileMegabytes, auditRequired } = settings;
  const ca = auditCaFile === undefined ? undefined : readCertificates(auditCaFile);
  if (text.startsWith('file:')) {
    const path = text.slice('file:'.length).replace(/^\/\/(?=\/)/, '');
    const sink = fileSink({ path, maxBytes: auditFileMegabytes * 1_000_000, sync: auditRequired });
    await sink.open().catch((cause: unknown) => {
      throw new ConfigError(`The audit file ${path} cannot be opened.`, 'Create its directory, and let this user write there.', {
        cause,
      });
    });
    return sink;
  }
  if (text.startsWith('syslog+')) return syslogSink(readSyslogTarget(text, ca));
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isAllowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (!isAllowed || url.username !== '' || url.password !== '')
    throw new ConfigError(`The audit sink ${JSON.stringify(text)} is not valid.`, FORMS);
  return httpsSink({ url: text, token, ca });
}

function readSyslogTarget(text: string, ca: string | undefined): SyslogTarget {
  const unix = /^syslog\+unix:(?:\/\/)?(\/.+)$/.exec(text);
  if (unix !== null) return { transport: 'unix', path: unix[1] as string };
  const parts = /^syslog\+(tcp|tls|udp):\/\/(\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::(\d{1,5}))?\/?$/.exec(text);
  const [, transport, host = '', port] = parts ?? [];
  if (parts === null) throw new ConfigError(`The audit sink ${JSON.stringify(text)} is not valid.`, FORMS);
  return {
    transport: transport as 'tcp' | 'tls' | 'udp',
    host: host.replace(/^\[|\]$/g, ''),
    port: Number(port ?? (transport === 'tls' ? 6514 : 514)),
    ...(ca !== undefined && { ca }),
  };
}

function readCertificates(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ConfigError(`--audit-ca-file cannot be read: ${path}`, 'Check the path and its permissions.', { cause });
  }
}
