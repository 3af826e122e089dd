import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openApiDocument } from '@countersign/contract';
import { openAudit } from '../audit/open-audit.ts';
import { openCaptcha } from '../auth/captcha.ts';
import { createCallersReads } from '../chain-nodes/callers-reads.ts';
import { makeDataDirectory, paths } from '../config/paths.ts';
import type { Config } from '../config/settings.ts';
import { VERSION } from '../config/version.ts';
import { dialectsAt } from '../dialects/index.ts';
import { createAdminAnswer } from '../http/api/admin-listener.ts';
import { createClientHint } from '../http/api/client-hint.ts';
import { createCors } from '../http/api/cors.ts';
import { Listener } from '../http/api/listener.ts';
import { createOperate, type Operate } from '../http/api/operations.ts';
import { buildRoutes } from '../http/api/routes.ts';
import { signInRelay } from '../http/api/sign-in-relay.ts';
import { logPages } from '../http/pages/log-pages.ts';
import { MAILBOX_PATH, mailboxPage, offersMailboxPage } from '../http/pages/mailbox-page.ts';
import { type AnswerPage, type Page, sharedPage } from '../http/pages/page.ts';
import { pageFolder } from '../http/pages/page-folder.ts';
import { createSites } from '../http/pages/sites.ts';
import { verifyPages } from '../http/pages/verify-page.ts';
import { topUpRequests } from '../http/rpc/request-top-up.ts';
import { rpcEndpoint } from '../http/rpc/rpc-endpoint.ts';
import { createClientAddress, peerOf } from '../http/transport/client-address.ts';
import { certificateKeyOf } from '../http/transport/client-certificate.ts';
import { expectedError } from '../http/transport/expected-error.ts';
import { startKnownCallers } from '../installation/known-callers-file.ts';
import type { EdgeLink } from '../isolation/edge-link.ts';
import { claimedCertificateKey } from '../isolation/edge-request.ts';
import { settleNotes } from '../log/find-lost-commit.ts';
import { requireLoggedEpoch } from '../log/verify-epoch.ts';
import type { Ports } from '../network/ports.ts';
import { eventKeySet } from '../notify/webhooks/signature.ts';
import type { Service } from '../open-service.ts';
import { resolvers } from '../queries/index.ts';
import { startActivityIndexer } from '../search/index-activities.ts';
import { startActivityCounter } from '../statistics/count-activities.ts';
import { startLatencyWriter } from '../statistics/latency-recorder.ts';
import type { Metrics } from '../statistics/metrics.ts';
import { startBacklogWatch } from '../statistics/watch-backlog.ts';
import { startSessionWriter } from '../statistics/write-session-uses.ts';
import { removeAbandoned } from '../store/durable-file.ts';
import { openTelemetry } from '../telemetry/open-telemetry.ts';
import { createReadiness, readinessPage } from './readiness.ts';
import { serviceDispatcher } from './start-dispatcher.ts';
import { serviceMailer } from './start-mailer.ts';
import { serviceNotifier } from './start-notifier.ts';
import { serviceSender } from './start-sender.ts';
import { openTransport, reportingTransport, type Transport, type TransportParts } from './transport.ts';

/** Much longer than any process needs to write a file. */
const ABANDONED_MS = 3_600_000;

/** A serving process. */
export interface RunningWorker {
  /** Serves a connection that the primary process accepted. */
  take(socket: Socket): void;
  /** Applies those changed settings that need no restart. */
  reload(config: Config): void;
  /** Takes no more requests, lets those in flight finish, then closes the installation. */
  close(): Promise<void>;
}

/** Where the connections and the metrics come from. */
export interface WorkerOptions {
  /** Ports that listen already. Absent in a worker process, which takes connections from the primary process. */
  readonly ports?: Ports;
  /** The edge process that serves HTTP, if this process is isolated from the network. */
  readonly edge?: EdgeLink;
  /** The text of `/metrics`, if several processes share it. */
  metricsText?(): Promise<string>;
}

type Pages = readonly (readonly [path: string, answer: AnswerPage])[];

async function metricsOf({ expose, contentType }: Metrics, { metricsText = expose }: WorkerOptions): Promise<Page> {
  return { status: 200, contentType, body: await metricsText() };
}

function openApiPage({ compatRoot }: Config): AnswerPage {
  // Built on the first request: it takes a sixth of the startup.
  let body: Uint8Array | undefined;
  return async () => {
    // SECURITY: D202: as bytes, which all responses share. A text would be copied for each unauthenticated request.
    body ??= Buffer.from(JSON.stringify(openApiDocument({ version: VERSION, compatibleAtRoot: compatRoot })));
    return { status: 200, contentType: 'application/json', body };
  };
}

/** The pages at fixed paths: those of this process, and what clients and receivers of webhooks look up. */
function pagesOf(
  config: Config,
  services: Service['services'],
  dialects: ReturnType<typeof dialectsAt>,
  own: Pages,
): Map<string, AnswerPage> {
  const json = { status: 200, contentType: 'application/json' } as const;
  // The service's signing keys. Clients check bundles and session tokens against them.
  const serviceKeys = JSON.stringify(services.vault.service.publicKeys);
  // Receivers of webhooks look here for the key, on either base path.
  const eventKeys: Page = {
    ...json,
    body: JSON.stringify(eventKeySet(services.vault.service.eventKey)),
    headers: { 'Cache-Control': 'public, max-age=3600' },
  };
  const pages = new Map<string, AnswerPage>([
    ...own,
    ['/openapi.json', openApiPage(config)],
    ['/.well-known/countersign-keys', async () => ({ ...json, body: serviceKeys })],
  ]);
  for (const { basePath } of dialects) pages.set(`${basePath}/public/v1/discovery/webhooks/jwks`, async () => eventKeys);
  for (const [path, answer] of verifyPages(pageFolder('verify'))) pages.set(path, answer);
  if (offersMailboxPage(config)) pages.set(MAILBOX_PATH, mailboxPage(config, services));
  return pages;
}

/** Serves an open installation. */
export async function startWorker(config: Config, service: Service, options: WorkerOptions): Promise<RunningWorker> {
  const { services, log, fence, installationLog } = service;
  const { edge } = options;
  const { metrics } = services.statistics;
  const dialects = dialectsAt(config.compatRoot);
  const clientAddress = createClientAddress(config.trustedProxies);
  let draining = false;

  const text = (status: number, body: string): Page => ({ status, contentType: 'text/plain; charset=utf-8', body });
  const healthPages: Pages = [
    ['/healthz', async () => text(200, 'ok\n')],
    ['/readyz', () => readiness()],
  ];
  const metricsPage: Pages = [['/metrics', sharedPage(() => metricsOf(metrics, options))]];
  const sites = createSites(config, (request) => services.admission.request(clientAddress(request), request.socket).count());
  const pages = pagesOf(config, services, dialects, [
    ...healthPages,
    ...(config.adminListen === undefined ? metricsPage : []),
    ['/', sites.front],
  ]);

  const audit = await openAudit(config, log, metrics.auditRecords);
  const telemetry = openTelemetry(config, metrics, log);
  const whyNotReady = createReadiness(service);
  async function readiness(): Promise<Page> {
    const reason = draining ? 'stopping' : (audit?.problem() ?? (await whyNotReady()));
    const tampered = services.statistics.alarms.tamperedOrganizations();
    const { status, body } = readinessPage(reason, tampered, services.vault.rootKey().status === 'lost', config);
    return text(status, body);
  }

  const logPage = logPages(services.store.log, installationLog);
  const operate = createOperate(services, resolvers);
  const listener = new Listener({
    routes: buildRoutes(dialects),
    dialects,
    operate,
    signIn: signInRelay({ services, operate, issuers: config.oidcIssuers, captcha: openCaptcha(config, log) }),
    rpc: rpcEndpoint({
      services,
      reads: createCallersReads(services.chainNodes, {
        perSecond: config.rpcReadsPerUser,
        onLimit: metrics.refused,
        nowMs: () => performance.now(),
      }),
      operate,
      approvalSeconds: config.rpcApprovalSeconds,
      expected: (error) => expectedError(error, log),
    }),
    clientAddress,
    // SECURITY: D787: an edge can claim any certificate, and here it would be the only proof.
    ...(edge === undefined && config.tlsClientCa !== undefined && { verifiedCertificate: certificateKeyOf }),
    ...(config.tlsClientBinding && { certificateKey: edge === undefined ? certificateKeyOf : claimedCertificateKey }),
    admission: services.admission,
    clientHint: createClientHint(log, config.compatRoot),
    cors: createCors(config.allowedOrigins, (refused) =>
      log.warn(
        { origin: refused },
        'a page of another origin called the API and cannot read the response. If it is yours, add its origin to --allowed-origins',
      ),
    ),
    ownOriginPaths: new Set(['/metrics', MAILBOX_PATH]),
    metrics,
    audit,
    telemetry,
    log,
    maxBodyBytes: config.maxBodyBytes,
    pages,
    pageUnder: (path) => sites.pageUnder(path) ?? logPage(path),
    isDraining: () => draining,
  });
  const adminPages = new Map([...healthPages, ...metricsPage]);
  const transport: Transport =
    edge === undefined
      ? openTransport(config, {
          admission: services.admission,
          log,
          metrics,
          ports: options.ports,
          listen: listener.listen,
          adminPages,
        })
      : reportingTransport(config, edge, metrics);
  // Before the first request: load the executed bodies, and refuse an older copy of the database.
  makeDataDirectory(config);
  await removeAbandoned(config.dataDir, ABANDONED_MS);
  await installationLog.open();
  await settleNotes(config, service.notes, installationLog, services.store, services.vault.integrity);
  await requireLoggedEpoch(services.log.proofs, fence.epoch);
  installationLog.start();
  const knownCallers = await startKnownCallers(
    paths.knownCallers(config),
    services.admission.known,
    services.vault.integrity,
    log,
  );
  const background = startBackground(config, service, operate, edge);
  edge?.serve(answersToEdge(config, { admission: services.admission, log, listener, adminPages }));
  options.ports?.serve(transport.take);
  return {
    take: transport.take,
    reload(next) {
      log.level = next.logLevel;
      transport.reload(next);
    },
    async close() {
      draining = true;
      // Requests are served while balancers find out.
      await sleep(config.lameDuckSeconds * 1000);
      services.log.longPoll.drain();
      await transport.close(config.shutdownSeconds * 1000);
      await Promise.all([background.stop(), knownCallers.stop(), audit?.close(), telemetry?.close()]);
      await service.close();
    },
  };
}

/** Answers what comes from the edge: operators at their own port, and all others. */
function answersToEdge(
  { adminListen }: Config,
  {
    admission,
    log,
    listener,
    adminPages,
  }: Pick<TransportParts, 'admission' | 'log' | 'adminPages'> & { readonly listener: Listener },
): Parameters<EdgeLink['serve']>[0] {
  const answerAdmin = createAdminAnswer(adminPages, log);
  const isAdmin = ({ localPort }: { readonly localPort: number }) => localPort === adminListen?.port;
  return {
    admit: (connection) => (isAdmin(connection) ? () => {} : admission.connection(peerOf(connection), connection)),
    async answer(request, write) {
      if (isAdmin(request.from)) write(await answerAdmin(request));
      else await listener.answer(request, write);
    },
    log,
  };
}

/** Starts what a serving process does beside requests. */
function startBackground(
  config: Config,
  service: Service,
  operate: Operate,
  edge: EdgeLink | undefined,
): { stop(): Promise<void> } {
  const { services, log } = service;
  const { store, statistics } = services;
  const started = [
    serviceMailer(config, service, edge?.poster('push')),
    serviceDispatcher(config, service, edge?.poster('webhooks')),
    startActivityCounter(store, log),
    startActivityIndexer(store, services.organizations.activities, log),
    startLatencyWriter(statistics.latencies, store, log),
    startSessionWriter(statistics.sessions, log),
    startBacklogWatch(store, statistics.metrics, log),
    serviceNotifier(service),
    serviceSender(service, topUpRequests(services, operate)),
  ];
  return {
    async stop() {
      await Promise.all(started.map((task) => task?.stop()));
    },
  };
}
