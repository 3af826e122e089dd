import { X509Certificate } from 'node:crypto';
import { nextUpdateOf } from './revocation-list.ts';
import type { TlsFiles } from './tls-files.ts';

/** What expires: the certificate with its chain, the authorities of clients, or the list of revoked certificates. */
export type Expiring = 'certificate' | 'client_ca' | 'client_crl';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** When files of TLS expire, in milliseconds since 1970: of each file, what expires first. */
export function expiriesOf({ cert, clientCa, clientCrl }: TlsFiles): Readonly<Partial<Record<Expiring, number>>> {
  const lists = (clientCrl ?? []).flatMap((list) => nextUpdateOf(list) ?? []);
  return {
    certificate: firstOf(endsOf(cert)),
    ...(clientCa !== undefined && { client_ca: firstOf(endsOf(clientCa)) }),
    ...(lists.length > 0 && { client_crl: firstOf(lists) }),
  };
}

const firstOf = (times: readonly number[]) => Math.min(...times);

function endsOf(pem: string): readonly number[] {
  return (pem.match(CERTIFICATE) ?? []).map((block) => Date.parse(new X509Certificate(block).validTo));
}
