import { ConfigError } from '../../config/config-error.ts';
import type { Config } from '../../config/settings.ts';
import { type Expiring, expiriesOf } from '../../http/transport/tls-expiry.ts';
import { readTlsFiles } from '../../http/transport/tls-files.ts';
import type { Advice } from './advice.ts';
import type { Finding } from './finding.ts';

const DAY_MS = 86_400_000;
/** Tools renew certificates about 30 days before they expire. */
const WARN_MS = 14 * DAY_MS;

const expiring: Readonly<Record<Expiring, { readonly what: string; readonly effect: string; readonly fix: string }>> = {
  certificate: {
    what: 'the certificate in --tls-cert',
    effect: 'clients do not connect',
    fix: 'Renew it. The service uses the new files within seconds.',
  },
  client_ca: {
    what: 'an authority in --tls-client-ca',
    effect: 'clients with its certificates cannot connect',
    fix: 'Issue certificates of a new authority, and write both authorities to the file meanwhile.',
  },
  client_crl: {
    what: 'a list in --tls-client-crl',
    effect: 'clients with certificates of its authority cannot connect',
    fix: "Make a new list, for example with 'openssl ca -gencrl', and write it to the file regularly.",
  },
};

/** Warns of certificates that expire within two weeks. Throws ConfigError if they cannot be read. */
export function certificateAdvice(config: Config, nowMs = Date.now()): readonly Advice[] {
  const files = readTlsFiles(config);
  if (files === undefined) return [];
  return Object.entries(expiriesOf(files)).flatMap(([name, atMs]) => {
    if (atMs > nowMs + WARN_MS) return [];
    const { what, effect, fix } = expiring[name as Expiring];
    const day = new Date(atMs).toISOString();
    const detail = atMs <= nowMs ? `${what} expired on ${day}: ${effect}` : `${what} expires on ${day}: then ${effect}`;
    return [{ check: 'TLS', detail, fix }];
  });
}

/** The same as findings. Files that cannot be read are one too. */
export function checkCertificates(config: Config): readonly Finding[] {
  try {
    return certificateAdvice(config).map((advice) => ({ ...advice, ok: true, warning: true }));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [{ check: 'TLS', ok: false, detail: error.message, fix: error.fix }];
  }
}
