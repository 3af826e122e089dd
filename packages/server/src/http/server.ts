import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../config/settings.ts';
import { createPorts } from '../network/ports.ts';
import { type ClientAddress, peerAddress, rememberPeer } from './client-address.ts';
import { type FedConnection, feedInParts } from './feed-in-parts.ts';
import { rawErrorResponse } from './listener.ts';
import { createPlainConnections, type PlainOptions } from './plain-connections.ts';

/** An HTTP server. Its connections come from its own port, or another process hands them over. */
export interface HttpServer {
  /** Starts listening and returns the port. Rejects with the system's error if the address is not available. */
  listen(): Promise<number>;
  /** Serves a connection that another process accepted. */
  take(socket: Socket): void;
  /** Takes no new connections, ends idle ones, gives requests in flight `graceMs` to finish, then ends the rest. */
  close(graceMs: number): Promise<void>;
}

/** Requests in flight on one connection. */
interface Connection {
  readonly answering: Set<ServerResponse>;
  readonly fed: FedConnection;
  /** Bytes read when the last request was answered. If no more have arrived, no other request has begun. */
  bytesRead: number;
}

/** Where to listen, and for how long to wait for whom. */
export type HttpSettings = Pick<Config, 'host' | 'port' | 'requestTimeoutSeconds' | 'keepAliveSeconds'>;

/** Answers plain requests without node:http. */
export type PlainRequests = Pick<PlainOptions, 'answer' | 'maxBodyBytes' | 'arrived' | 'beforeWork' | 'inTurn'>;

/** What a server does beside reading requests. */
export interface HttpParts {
  /** With it, plain requests are answered straight from their sockets. */
  readonly plain?: PlainRequests;
  /** A second port with the same answers. */
  readonly alsoAt?: number | undefined;
  /** Counts a connection of a peer and gives what ends the count; undefined where there are too many. */
  open?(peer: ClientAddress): (() => void) | undefined;
}

/** Serves nothing before `listen` or `take`. */
export function createHttpServer(
  config: HttpSettings,
  respond: RequestListener,
  { plain, open, alsoAt }: HttpParts = {},
): HttpServer {
  const requestTimeoutMs = config.requestTimeoutSeconds * 1000;
  const headersTimeoutMs = Math.min(config.requestTimeoutSeconds, 15) * 1000;
  const connections = new Map<Socket, Connection>();
  let stopping = false;
  let watched = false;
  let whenEmpty = () => {};

  const server: Server = createServer(
    {
      requestTimeout: requestTimeoutMs,
      headersTimeout: headersTimeoutMs,
      keepAliveTimeout: config.keepAliveSeconds * 1000,
      connectionsCheckingInterval: 1000,
      noDelay: true,
    },
    (request, response) => {
      const { socket } = request;
      const connection = connections.get(socket);
      if (stopping) response.setHeader('Connection', 'close');
      connection?.answering.add(response);
      connection?.fed.began(Number(request.headers['content-length']) || 0);
      response.once('close', () => {
        connection?.answering.delete(response);
        connection?.fed.answered();
        if (connection === undefined || connection.answering.size > 0) return;
        connection.bytesRead = socket.bytesRead;
        if (stopping) socket.end();
      });
      respond(request, response);
    },
  );
  server.on('connection', (socket: Socket) => {
    const answering = new Set<ServerResponse>();
    const later = (goOn: () => void) => (plain === undefined ? setImmediate(goOn) : plain.inTurn(socket, goOn));
    connections.set(socket, { answering, fed: feedInParts(socket, () => answering.size, later), bytesRead: 0 });
    socket.once('close', () => {
      connections.delete(socket);
      if (connections.size === 0) whenEmpty();
    });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else socket.end(rawErrorResponse(error));
  });

  /** Ends idle connections. Node treats a connection that never sent anything as busy, and would wait for it. */
  function endIdle(): void {
    for (const [socket, { answering, bytesRead }] of connections) {
      if (answering.size === 0 && socket.bytesRead === bytesRead) socket.destroy();
      for (const response of answering) if (!response.headersSent) response.setHeader('Connection', 'close');
    }
  }

  /** node:http reads the connection from now on, beginning with bytes that were read from it already. */
  function serve(socket: Socket, read?: Buffer): void {
    // From this event on, Node enforces the time limits for incoming requests.
    if (!watched) watched = server.emit('listening');
    server.emit('connection', socket);
    // node:http reads from the handle itself, so bytes are put back only once it listens.
    if (read !== undefined) socket.unshift(read);
    socket.resume();
  }

  const plainly =
    plain &&
    createPlainConnections({
      ...plain,
      firstRequestMs: headersTimeoutMs,
      keepAliveSeconds: config.keepAliveSeconds,
      handOver: serve,
      timedOut: () => rawErrorResponse({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
    });

  function take(socket: Socket): void {
    if (stopping || !rememberPeer(socket)) {
      socket.destroy();
      return;
    }
    if (open !== undefined) {
      const closed = open(peerAddress(socket.remoteAddress));
      if (closed === undefined) {
        socket.destroy();
        return;
      }
      socket.once('close', closed);
    }
    if (plainly === undefined) serve(socket);
    else {
      plainly.serve(socket);
      socket.resume();
    }
  }

  const ports = createPorts(config.host, [config.port, alsoAt], { noDelay: true, allowHalfOpen: true }, take);

  return {
    listen: ports.listen,
    take,
    async close(graceMs) {
      stopping = true;
      ports.close();
      server.close();
      plainly?.stop();
      endIdle();
      const timer = setTimeout(() => {
        for (const socket of connections.keys()) socket.destroy();
        plainly?.destroy();
      }, graceMs);
      while (connections.size + (plainly?.size ?? 0) > 0) {
        await new Promise<void>((resolve) => {
          whenEmpty = resolve;
          plainly?.onEmpty(resolve);
        });
      }
      clearTimeout(timer);
    },
  };
}
