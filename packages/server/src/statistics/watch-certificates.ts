import type { Metrics } from './metrics.ts';

/** Reports when files of TLS expire. `read` returns times in milliseconds since 1970, by file. */
export function watchCertificates({ watch }: Pick<Metrics, 'watch'>, read: () => Readonly<Record<string, number>>): void {
  watch({
    name: 'countersign_tls_certificate_expiry_seconds',
    help: 'Time until the certificate, an authority of clients or a list of revoked certificates expires; negative afterwards',
    label: 'file',
    across: 'min',
    read: () => Object.fromEntries(Object.entries(read()).map(([file, atMs]) => [file, (atMs - Date.now()) / 1000])),
  });
}
