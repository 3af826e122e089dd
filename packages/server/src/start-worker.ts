import { openApiDocument } from '@countersign/contract';
import type { Config } from './config/settings.ts';
import { spec } from './dialects/spec.ts';
import { turnkey } from './dialects/turnkey.ts';
import { createCors } from './http/cors.ts';
import { createListener, type Page } from './http/listener.ts';
import { createOperate } from './http/operations.ts';
import { buildRoutes } from './http/routes.ts';
import { type HttpServer, startHttpServer } from './http/server.ts';
import { resolvers } from './queries/index.ts';
import type { Service } from './service.ts';
import { VERSION } from './version.ts';

/** A process that listens. */
export interface RunningWorker {
  readonly port: number;
  /** Stops taking requests, lets those under way finish, then closes the installation. */
  close(): Promise<void>;
}

/** Serves an open installation. `metricsText` overrides what `/metrics` shows, for a process that is one of several. */
export async function startWorker(config: Config, service: Service, metricsText?: () => Promise<string>): Promise<RunningWorker> {
  const { services, metrics, log } = service;
  const dialects = [spec, turnkey];
  let draining = false;

  const text = (status: number, body: string): Page => ({ status, contentType: 'text/plain; charset=utf-8', body });
  const openApi = JSON.stringify(openApiDocument({ version: VERSION }));
  const pages = new Map<string, () => Promise<Page>>([
    ['/healthz', async () => text(200, 'ok\n')],
    ['/readyz', () => readiness()],
    ['/metrics', async () => ({ status: 200, contentType: metrics.contentType, body: await (metricsText ?? metrics.expose)() })],
    ['/openapi.json', async () => ({ status: 200, contentType: 'application/json', body: openApi })],
  ]);

  async function readiness(): Promise<Page> {
    if (draining) return text(503, 'stopping\n');
    try {
      await services.store.ping();
      return text(200, 'ready\n');
    } catch (error) {
      // Not ready is an answer, not a failure; the cause is for the log.
      log.warn({ err: error }, 'not ready: the database does not answer');
      return text(503, 'the database does not answer\n');
    }
  }

  const listen = createListener({
    routes: buildRoutes(dialects),
    dialects,
    operate: createOperate(services, resolvers),
    cors: createCors(config.allowedOrigins),
    metrics,
    log,
    maxBodyBytes: config.maxBodyBytes,
    pages,
    isDraining: () => draining,
  });
  const server: HttpServer = await startHttpServer(config, listen);
  return {
    port: server.port,
    async close() {
      draining = true;
      await server.close(config.shutdownSeconds * 1000);
      await service.close();
    },
  };
}
