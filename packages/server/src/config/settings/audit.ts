import { z } from 'zod';
import type { Setting } from '../setting.ts';
import { flag, whole } from '../setting-values.ts';

/** Records of requests, for a system outside of the service. */
export const auditSettings = {
  auditSink: {
    schema: z
      .string()
      .regex(/^(file:|syslog\+(tcp|tls|udp|unix):|https?:)./, 'must begin with file:, syslog+tcp:, https: or alike')
      .regex(/^(?![^/]*\/\/[^/]*@)/, 'must not contain a user or password. Use --audit-token-file'),
    describe:
      'Where a record of each request goes: file:/path, syslog+tcp://host:514, syslog+tls://host:6514, syslog+udp://host:514, syslog+unix:/path (a stream socket) or https://host/path',
  },
  auditRequired: {
    schema: flag,
    default: 'false',
    describe:
      'Answer a request only after the audit sink has taken its record, and execute none while it takes none. Otherwise up to 10000 records wait in memory, and further ones are dropped and counted',
  },
  auditToken: { schema: z.string().min(1), describe: 'Bearer token for an audit sink over HTTPS', secret: true },
  auditCaFile: {
    schema: z.string().min(1),
    describe: 'Certificates (PEM) of the authority of an audit sink over TLS, instead of the public ones',
  },
  auditFileMegabytes: {
    schema: whole(1, 1_000_000),
    default: '100',
    describe: 'Size at which an audit file is renamed and a new one begins. Renamed files are not deleted',
  },
} as const satisfies Record<string, Setting>;
