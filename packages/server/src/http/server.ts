import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../config/settings.ts';
import { createPorts } from '../network/ports.ts';
import { type ClientAddress, peerAddress, rememberPeer } from './client-address.ts';
import { rawErrorResponse } from './listener.ts';

/** An HTTP server. Its connections come from its own port, or another process hands them over. */
export interface HttpServer {
  /** Starts listening and returns the port. Rejects with the system's error if the address is not available. */
  listen(): Promise<number>;
  /** Serves a connection that another process accepted. */
  take(socket: Socket): void;
  /** Takes no new connections, ends idle ones, gives requests in flight `graceMs` to finish, then ends the rest. */
  close(graceMs: number): Promise<void>;
}

/** Unanswered requests of one connection. One more ends the connection. */
export const MAX_PIPELINED_REQUESTS = 64;
/** Interval between two checks of the time limits for incoming requests. */
const CHECK_MS = 1_000;

interface Connection {
  readonly unanswered: Set<ServerResponse>;
  /** The newest request, whose body may still be arriving. */
  newest: { readonly request: IncomingMessage; readonly startedAtMs: number } | undefined;
  /** Bytes read when the last request was answered. If more have arrived, another request has begun. */
  bytesRead: number;
  /** When the headers of the next request began to arrive. A new connection has to send some. */
  headersSinceMs: number | undefined;
}

/** Where to listen, and for how long to wait for whom. */
export type HttpSettings = Pick<Config, 'host' | 'port' | 'requestTimeoutSeconds' | 'keepAliveSeconds'>;

/** What a server does beside reading requests. */
export interface HttpParts {
  /** A second port with the same answers. */
  readonly alsoAt?: number | undefined;
  /** Counts a connection of a peer and gives what ends the count; undefined where there are too many. */
  open?(peer: ClientAddress): (() => void) | undefined;
}

/** Serves nothing before `listen` or `take`. */
export function createHttpServer(config: HttpSettings, respond: RequestListener, { open, alsoAt }: HttpParts = {}): HttpServer {
  const requestTimeoutMs = config.requestTimeoutSeconds * 1000;
  const headersTimeoutMs = Math.min(config.requestTimeoutSeconds, 15) * 1000;
  const connections = new Map<Socket, Connection>();
  let stopping = false;
  let whenEmpty = () => {};
  let checking: NodeJS.Timeout | undefined;

  // The server never listens itself, so Node does not enforce its time limits for incoming requests: `closeOverdue` does.
  const server: Server = createServer(
    { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: config.keepAliveSeconds * 1000 },
    (request, response) => {
      const { socket } = request;
      const connection = connections.get(socket);
      // Node parses the rest of a chunk even after the socket is destroyed.
      if (connection === undefined || socket.destroyed) return;
      // SECURITY: D253: one chunk holds thousands of short requests.
      if (connection.unanswered.size >= MAX_PIPELINED_REQUESTS) {
        socket.destroy();
        return;
      }
      if (stopping) response.setHeader('Connection', 'close');
      connection.unanswered.add(response);
      connection.newest = { request, startedAtMs: performance.now() };
      connection.headersSinceMs = undefined;
      response.once('close', () => {
        connection.unanswered.delete(response);
        if (connection.unanswered.size > 0) return;
        connection.bytesRead = socket.bytesRead;
        if (stopping) socket.end();
      });
      respond(request, response);
    },
  );
  server.on('connection', (socket: Socket) => {
    connections.set(socket, {
      unanswered: new Set(),
      newest: undefined,
      bytesRead: 0,
      headersSinceMs: performance.now(),
    });
    checking ??= setInterval(closeOverdue, CHECK_MS).unref();
    socket.once('close', () => {
      connections.delete(socket);
      if (connections.size > 0) return;
      clearInterval(checking);
      checking = undefined;
      whenEmpty();
    });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else socket.end(rawErrorResponse(error));
  });

  /** Closes connections whose headers or body did not arrive in time. Node itself closes idle ones after `keepAliveTimeout`. */
  function closeOverdue(): void {
    const nowMs = performance.now();
    for (const [socket, connection] of connections) {
      const { unanswered, newest, bytesRead } = connection;
      if (newest !== undefined && !newest.request.complete) {
        if (nowMs - newest.startedAtMs > requestTimeoutMs) timeOut(socket, unanswered);
      } else if (unanswered.size === 0) {
        if (socket.bytesRead !== bytesRead) connection.headersSinceMs ??= nowMs;
        if (nowMs - (connection.headersSinceMs ?? nowMs) > headersTimeoutMs) timeOut(socket, unanswered);
      }
    }
  }

  function timeOut(socket: Socket, unanswered: ReadonlySet<ServerResponse>): void {
    const canAnswer =
      socket.writable && !socket.isPaused() && unanswered.size <= 1 && [...unanswered].every(({ headersSent }) => !headersSent);
    if (canAnswer) socket.end(rawErrorResponse({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }));
    socket.destroySoon();
  }

  /** Closes idle connections. Node treats a connection that never sent anything as busy, and would wait for it. */
  function closeIdle(): void {
    for (const [socket, { unanswered, bytesRead }] of connections) {
      if (unanswered.size === 0 && socket.bytesRead === bytesRead) socket.destroy();
      for (const response of unanswered) if (!response.headersSent) response.setHeader('Connection', 'close');
    }
  }

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
    server.emit('connection', socket);
    socket.resume();
  }

  const ports = createPorts(config.host, [config.port, alsoAt], { noDelay: true, allowHalfOpen: true }, take);

  return {
    listen: ports.listen,
    take,
    async close(graceMs) {
      stopping = true;
      ports.close();
      server.close();
      closeIdle();
      const timer = setTimeout(() => {
        for (const socket of connections.keys()) socket.destroy();
      }, graceMs);
      while (connections.size > 0) {
        await new Promise<void>((resolve) => {
          whenEmpty = resolve;
        });
      }
      clearTimeout(timer);
    },
  };
}
