import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Admission } from '../admission/index.ts';
import type { Config } from '../config/settings.ts';
import { createAdminListener } from '../http/api/admin-listener.ts';
import type { AnswerPage } from '../http/pages/page.ts';
import { createEntrance, ENTRANCE_SECONDS } from '../http/transport/entrance.ts';
import { createHttpServer } from '../http/transport/server.ts';
import { openTls, watchTls } from '../http/transport/tls.ts';
import { expiriesOf } from '../http/transport/tls-expiry.ts';
import type { Ports } from '../network/ports.ts';
import type { Metrics } from '../statistics/metrics.ts';
import { watchCertificates } from '../statistics/watch-certificates.ts';

/** Connections of a serving process, from the port to HTTP. */
export interface Transport {
  take(socket: Socket): void;
  reload(config: Config): void;
  /** Takes no more connections, and gives requests in flight `graceMs` to finish. */
  close(graceMs: number): Promise<void>;
}

export interface TransportParts {
  readonly admission: Pick<Admission, 'connection' | 'handshake'>;
  readonly log: Logger;
  /** Absent while the service is sealed. */
  readonly metrics?: Pick<Metrics, 'watch'>;
  /** Absent in a worker process. */
  readonly ports?: Ports | undefined;
  readonly listen: RequestListener;
  /** Pages of the separate address for operators. */
  readonly adminPages: ReadonlyMap<string, AnswerPage>;
}

/** Throws ConfigError for certificates that cannot be used. */
export function openTransport(config: Config, { admission, log, metrics, ports, listen, adminPages }: TransportParts): Transport {
  const tls = openTls(config, log);
  if (tls !== undefined && metrics !== undefined) watchCertificates(metrics, () => expiriesOf(tls.files()));
  const server = createHttpServer(config, listen, {
    ...(ports && { ports }),
    admit: admission.connection,
    entrance: createEntrance({
      ...(config.proxyProtocol && { proxies: config.trustedProxies }),
      ...(tls && { tls }),
      handshake: admission.handshake,
      deadlineMs: Math.min(config.requestTimeoutSeconds, ENTRANCE_SECONDS) * 1000,
    }),
  });
  const admin = createHttpServer(config, createAdminListener(adminPages, log));
  return {
    take: (socket) => (socket.localPort === config.adminListen?.port ? admin : server).take(socket),
    reload: (next) => tls?.reload(next),
    async close(graceMs) {
      await server.close(graceMs);
      await admin.close(0);
      tls?.close();
    },
  };
}

/** The transport of a process whose connections are in an edge: it only reports when the certificates of the edge expire. */
export function reportingTransport(config: Config, edge: Transport, metrics: Pick<Metrics, 'watch'>): Transport {
  const silent = { info: () => undefined, error: () => undefined };
  const tls = watchTls(config, silent, () => undefined);
  if (tls === undefined) return edge;
  watchCertificates(metrics, () => expiriesOf(tls.files()));
  return {
    take: edge.take,
    reload: tls.reload,
    close(graceMs) {
      tls.close();
      return edge.close(graceMs);
    },
  };
}
