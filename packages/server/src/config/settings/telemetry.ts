import { z } from 'zod';
import { isLoopbackHost } from '../../network/public-address.ts';
import type { Setting } from '../setting.ts';
import { filePath } from '../setting-values.ts';

/** SECURITY: D671: ids of users and the token of the endpoint travel there. */
function isSafeEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (username !== '' || password !== '' || search !== '' || hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}

/** `name=value,name=value`, with percent-encoded values, as OpenTelemetry writes headers in a variable. */
const headers = z.string().transform((text, context): Readonly<Record<string, string>> => {
  const found: Record<string, string> = {};
  for (const pair of text.split(',').filter((item) => item.trim() !== '')) {
    const [, name, value = ''] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    const decoded = decodeHeader(value);
    if (name === undefined || decoded === undefined) {
      context.addIssue({ code: 'custom', message: 'must be name=value pairs, separated by commas, with percent-encoded values' });
      return z.NEVER;
    }
    found[name] = decoded;
  }
  return found;
});

/** Undefined if it is not the value of a header. */
function decodeHeader(value: string): string | undefined {
  try {
    const text = decodeURIComponent(value);
    return /^[\t\x20-\x7e]*$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Traces and metrics over OTLP. */
export const telemetrySettings = {
  otlpEndpoint: {
    schema: z.string().refine(isSafeEndpoint, 'must be an https URL without user, password and query, or http on this machine'),
    describe:
      'Where traces and metrics go over OTLP/HTTP, such as https://collector.example.com:4318; /v1/traces and /v1/metrics are added. Needs packages of OpenTelemetry',
  },
  otlpHeaders: {
    schema: headers,
    describe:
      'Headers for the OTLP endpoint, such as Authorization=Bearer%20token, separated by commas, with percent-encoded values',
    secret: true,
  },
  otlpCaFile: {
    schema: filePath,
    describe: 'Certificates (PEM) of the authority of the OTLP endpoint, instead of the public ones',
  },
  otlpSampleRatio: {
    schema: z
      .string()
      .regex(/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/, 'must be a number from 0 to 1')
      .transform(Number),
    default: '1',
    describe: 'Part of the requests whose traces are sent. A client that sends traceparent decides for its own requests',
  },
} as const satisfies Record<string, Setting>;
