import { createServer, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../../config/settings.ts';
import { createPorts } from '../../network/ports.ts';
import { type ClientAddress, peerAddress, rememberPeer } from './client-address.ts';
import { Connections } from './connections.ts';
import { rawErrorResponse } from './raw-error-response.ts';

/** An HTTP server. Its connections come from its own port, or another process hands them over. */
export interface HttpServer {
  /** Starts listening and returns the port. Rejects with the system's error if the address is not available. */
  listen(): Promise<number>;
  /** Serves a connection that another process accepted. */
  take(socket: Socket): void;
  /** Takes no new connections, ends idle ones, gives requests in flight `graceMs` to finish, then ends the rest. */
  close(graceMs: number): Promise<void>;
}

/** Where to listen, and the timeouts. */
export type HttpSettings = Pick<Config, 'host' | 'port' | 'requestTimeoutSeconds' | 'keepAliveSeconds'>;

/** Options of a server. */
export interface HttpOptions {
  /** A second port with the same responses. */
  readonly secondPort?: number | undefined;
  /** Counts a connection of a peer. Returns its release, or undefined if there are too many. */
  admit?(peer: ClientAddress): (() => void) | undefined;
}

/** Serves nothing before `listen` or `take`. */
export function createHttpServer(
  config: HttpSettings,
  respond: RequestListener,
  { admit, secondPort }: HttpOptions = {},
): HttpServer {
  const connections = new Connections({
    requestTimeoutMs: config.requestTimeoutSeconds * 1000,
    headersTimeoutMs: Math.min(config.requestTimeoutSeconds, 15) * 1000,
  });
  let isStopping = false;

  // The server never listens itself, so Node does not enforce its time limits for incoming requests: `connections` does.
  const server = createServer(
    { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: config.keepAliveSeconds * 1000 },
    (request, response) => {
      if (connections.begin(request, response)) respond(request, response);
    },
  );
  server.on('connection', (socket: Socket) => connections.add(socket));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else socket.end(rawErrorResponse(error));
  });

  function take(socket: Socket): void {
    if (isStopping || !rememberPeer(socket)) {
      socket.destroy();
      return;
    }
    if (admit !== undefined) {
      const release = admit(peerAddress(socket.remoteAddress));
      if (release === undefined) {
        socket.destroy();
        return;
      }
      socket.once('close', release);
    }
    server.emit('connection', socket);
    socket.resume();
  }

  const ports = createPorts(config.host, [config.port, secondPort], { noDelay: true, allowHalfOpen: true }, take);

  return {
    listen: ports.listen,
    take,
    async close(graceMs) {
      isStopping = true;
      ports.close();
      server.close();
      await connections.close(graceMs);
    },
  };
}
