import { z } from 'zod';
import type { Setting } from '../setting.ts';
import { filePath, flag } from '../setting-values.ts';

/** TLS of the service itself, and certificates of its clients. */
export const tlsSettings = {
  tlsCert: {
    schema: filePath,
    describe:
      'File with the certificate of the service and the certificates of its chain, in PEM. With it, the service accepts only TLS connections. A changed file is used for new connections within seconds',
    reload: true,
  },
  tlsKey: {
    schema: filePath,
    describe: 'File with the private key of --tls-cert, in PEM, readable only by its owner',
    reload: true,
  },
  tlsMinVersion: {
    schema: z.enum(['1.3', '1.2'], 'must be 1.3 or 1.2'),
    default: '1.3',
    describe: 'Lowest version of TLS that clients may use: 1.3, or 1.2 for older clients',
    reload: true,
  },
  tlsClientCa: {
    schema: filePath,
    describe:
      'File with certificates of the authorities of client certificates, in PEM. With it, clients can connect with a certificate; a certificate of any other authority ends the connection',
    reload: true,
  },
  tlsClientCrl: {
    schema: filePath,
    describe:
      'File with lists of revoked client certificates (CRL) in PEM, one of each authority in --tls-client-ca. A revoked certificate, and one of an authority without a current list, ends the connection. A changed file is used for new connections within seconds',
    reload: true,
  },
  tlsClientAuth: {
    schema: z.enum(['optional', 'required'], 'must be optional or required'),
    default: 'optional',
    describe:
      'Whether clients may (optional) or must (required) connect with a certificate of --tls-client-ca. Browsers and the console need one too if it is required',
    reload: true,
  },
  tlsClientBinding: {
    schema: flag,
    default: 'false',
    describe:
      "Accept a credential only on a connection whose client certificate has the public key (P-256) of one of its user's API keys. Needs --tls-client-auth required",
  },
} as const satisfies Record<string, Setting>;
