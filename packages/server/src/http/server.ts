import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Config } from '../config/settings.ts';
import { rawErrorResponse } from './listener.ts';

/** A listening HTTP server. */
export interface HttpServer {
  readonly port: number;
  /** Takes no new connections, lets requests under way finish for `graceMs`, then ends what is left. */
  close(graceMs: number): Promise<void>;
}

type Listen = Parameters<typeof createServer>[1];

/** Starts listening. Rejects with the system's error where the address cannot be had. */
export async function startHttpServer(config: Config, listen: NonNullable<Listen>): Promise<HttpServer> {
  const server: Server = createServer(
    {
      requestTimeout: config.requestTimeoutSeconds * 1000,
      headersTimeout: Math.min(config.requestTimeoutSeconds, 15) * 1000,
      keepAliveTimeout: config.keepAliveSeconds * 1000,
      connectionsCheckingInterval: 1000,
      noDelay: true,
    },
    listen,
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else socket.end(rawErrorResponse(error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: config.host, port: config.port, backlog: 1024 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close(graceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(timer);
    },
  };
}
