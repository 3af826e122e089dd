import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { ConfigError } from '../../config/config-error.ts';
import { readSecretFile, unreadable } from '../../config/secret-file.ts';
import { flagName } from '../../config/setting-names.ts';
import type { Config } from '../../config/settings.ts';
import { nextUpdateOf } from './revocation-list.ts';

/** The settings of TLS. */
export type TlsSettings = Pick<Config, 'tlsCert' | 'tlsKey' | 'tlsMinVersion' | 'tlsClientCa' | 'tlsClientCrl' | 'tlsClientAuth'>;

/** Certificates and key, as read from their files. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly clientCa?: string;
  /** Lists of revoked certificates of clients, one PEM block each. */
  readonly clientCrl?: readonly string[];
}

/** Reads the files, and checks that key and certificate belong together. Undefined without TLS. Throws ConfigError. */
export function readTlsFiles(settings: TlsSettings): TlsFiles | undefined {
  const { tlsCert, tlsKey, tlsClientCa, tlsClientCrl } = settings;
  if (tlsClientCrl !== undefined && tlsClientCa === undefined)
    throw new ConfigError('--tls-client-crl has no effect without --tls-client-ca.', 'Set --tls-client-ca too, or omit it.');
  if (tlsCert === undefined && tlsKey === undefined) {
    if (tlsClientCa === undefined) return undefined;
    throw new ConfigError('--tls-client-ca has no effect without TLS.', 'Set --tls-cert and --tls-key too, or omit it.');
  }
  if (tlsCert === undefined || tlsKey === undefined)
    throw new ConfigError(
      `${tlsCert === undefined ? '--tls-cert' : '--tls-key'} is missing.`,
      'TLS needs a certificate and its private key: set --tls-cert and --tls-key together.',
    );
  if (tlsClientCa === undefined && settings.tlsClientAuth === 'required')
    throw new ConfigError(
      '--tls-client-ca is missing.',
      '--tls-client-auth required needs the authorities of client certificates.',
    );
  const files: TlsFiles = {
    cert: readCertificates('tlsCert', tlsCert),
    // SECURITY: D596: a key that other users can read is not used.
    key: readSecretFile(`--${flagName('tlsKey')}`, tlsKey),
    ...(tlsClientCa !== undefined && { clientCa: readCertificates('tlsClientCa', tlsClientCa) }),
    ...(tlsClientCrl !== undefined && { clientCrl: readRevocations(tlsClientCrl) }),
  };
  requirePair(files, settings);
  return files;
}

function readText(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw unreadable(flag, path, cause);
  }
}

function readCertificates(name: 'tlsCert' | 'tlsClientCa', path: string): string {
  const flag = `--${flagName(name)}`;
  const text = readText(flag, path);
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    if (blocks.length > 0 && blocks.map((block) => new X509Certificate(block)).length > 0) return blocks.join('\n');
  } catch {
    // A block without a valid certificate: rejected below, like a file without blocks.
  }
  throw new ConfigError(`${flag} names a file without valid certificates: ${path}`, 'Write certificates in PEM to the file.');
}

/** SECURITY: D672: a list that cannot be read is not taken for an empty one. */
function readRevocations(path: string): readonly string[] {
  const flag = `--${flagName('tlsClientCrl')}`;
  const blocks = readText(flag, path).match(/-----BEGIN X509 CRL-----[^-]+-----END X509 CRL-----/g) ?? [];
  try {
    if (blocks.length > 0) {
      createSecureContext({ crl: blocks });
      for (const block of blocks) nextUpdateOf(block);
      return blocks;
    }
  } catch {
    // A block without a valid list: rejected below, like a file without blocks.
  }
  throw new ConfigError(
    `${flag} names a file without valid lists of revoked certificates: ${path}`,
    "Write lists in PEM to the file, such as those of 'openssl ca -gencrl', one for each authority.",
  );
}

/** SECURITY: the message of OpenSSL describes the problem, and contains no part of the key. */
function requirePair({ cert, key }: TlsFiles, { tlsCert, tlsKey }: TlsSettings): void {
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    const isMismatch = (cause as NodeJS.ErrnoException).code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH';
    throw new ConfigError(
      isMismatch
        ? `The key in ${tlsKey} does not belong to the certificate in ${tlsCert}.`
        : `TLS cannot use ${tlsCert} and ${tlsKey}: ${(cause as Error).message}`,
      'Set --tls-cert and --tls-key to a certificate and its unencrypted private key, both in PEM.',
      { cause },
    );
  }
}

/** AEAD with ephemeral keys only. TLS 1.3 has its own list. */
const TLS12_CIPHERS = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
];
const TLS13_CIPHERS = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

/** The options of a TLS context. */
export function contextOptions(
  { cert, key, clientCa, clientCrl }: TlsFiles,
  { tlsMinVersion }: TlsSettings,
): SecureContextOptions {
  return {
    cert,
    key,
    ...(clientCa !== undefined && { ca: clientCa }),
    ...(clientCrl !== undefined && { crl: [...clientCrl] }),
    minVersion: `TLSv${tlsMinVersion}`,
    maxVersion: 'TLSv1.3',
    ciphers: [...TLS13_CIPHERS, ...TLS12_CIPHERS].join(':'),
  };
}
