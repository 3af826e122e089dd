import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { readTimeMs } from '../../admission/index.ts';
import { consolePort } from '../../config/console-port.ts';
import type { Config } from '../../config/settings.ts';
import { createPorts, type Ports } from '../../network/ports.ts';
import { type AdmitConnection, createAcceptor } from './accept.ts';
import type { Entrance } from './entrance.ts';
import { closeLingering } from './lingering-close.ts';
import { rawErrorResponse } from './raw-error-response.ts';

/** An HTTP server. Its connections come from its ports, or another process hands them over. */
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
  /** The ports that it serves; by default the one of the settings. */
  readonly ports?: Ports;
  readonly admit?: AdmitConnection;
  /** What comes before HTTP on each connection: a PROXY header, TLS. */
  readonly entrance?: Entrance | undefined;
}

/** The ports of the service: for the API and, if they are separate, for the console and for operators. */
export function createServicePorts(config: Pick<Config, 'host' | 'port' | 'console' | 'adminListen'>): Ports {
  const { host, port, adminListen } = config;
  const ownPort = consolePort(config);
  const others = [...(ownPort === undefined ? [] : [{ host, port: ownPort }]), ...(adminListen ? [adminListen] : [])];
  return createPorts([{ host, port }, ...others], socketOptions);
}

const socketOptions = { noDelay: true, allowHalfOpen: true };

/** Serves nothing before `listen`, `serve` or `take`. */
export function createHttpServer(
  config: HttpSettings,
  respond: RequestListener,
  { admit, entrance, ports = createPorts([config], socketOptions) }: HttpOptions = {},
): HttpServer {
  const connections = new Connections({
    requestTimeoutMs: config.requestTimeoutSeconds * 1000,
    headersTimeoutMs: Math.min(config.requestTimeoutSeconds, 15) * 1000,
  });

  const serve: RequestListener = (request, response) => {
    if (request.httpVersion === '1.1' && request.headers.host === undefined) refuse(400, request, response);
    else if (connections.begin(request, response)) respond(request, response);
  };
  function refuse(status: number, request: IncomingMessage, response: ServerResponse): void {
    if (connections.begin(request, response)) response.writeHead(status, { Connection: 'close', 'Content-Length': 0 }).end();
  }
  // The server never listens itself, so Node does not enforce its time limits for incoming requests: `connections` does.
  // SECURITY: D253: Node itself would answer requests without a host or with another expectation, and `connections` would not count them.
  const server = createServer(
    { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: config.keepAliveSeconds * 1000, requireHostHeader: false },
    serve,
  );
  server.on('checkExpectation', (request, response) => refuse(417, request, response));
  server.on('connection', (socket: Socket) => connections.add(socket));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.resetAndDestroy();
    else {
      socket.write(rawErrorResponse(error));
      closeLingering(socket, false);
    }
  });
  // The idle time has passed.
  server.on('timeout', (socket) => closeLingering(socket, true));

  const { take, stop } = createAcceptor({
    admit,
    entrance,
    begin(socket) {
      server.emit('connection', socket);
      socket.resume();
    },
  });

  return {
    async listen() {
      const port = await ports.listen();
      ports.serve(take);
      return port;
    },
    take,
    async close(graceMs) {
      stop();
      ports.close();
      server.close();
      await connections.close(graceMs);
    },
  };
}

/** Unanswered requests of one connection. One more ends the connection. */
const MAX_PIPELINED_REQUESTS = 64;
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
  /** Bytes that the operating system had taken when it last took some, or had nothing to take, and when that was. */
  takenBytes: number;
  takenAtMs: number;
}

export interface ConnectionTimeouts {
  readonly requestTimeoutMs: number;
  readonly headersTimeoutMs: number;
}

/** The open connections of a server and their unanswered requests. */
class Connections {
  readonly #timeouts: ConnectionTimeouts;
  readonly #connections = new Map<Socket, Connection>();
  #isStopping = false;
  #checking: NodeJS.Timeout | undefined;
  #whenEmpty = () => {};

  constructor(timeouts: ConnectionTimeouts) {
    this.#timeouts = timeouts;
  }

  add(socket: Socket): void {
    const unanswered = new Set<ServerResponse>();
    this.#connections.set(socket, {
      unanswered,
      newest: undefined,
      bytesRead: 0,
      headersSinceMs: performance.now(),
      takenBytes: 0,
      takenAtMs: performance.now(),
    });
    // Node calls it after the last response of a connection.
    socket.destroySoon = () => closeLingering(socket, this.#connections.get(socket)?.newest?.request.complete ?? true);
    this.#checking ??= setInterval(() => this.#closeOverdue(), CHECK_MS).unref();
    socket.once('close', () => {
      this.#connections.delete(socket);
      // Node closes only the response that is being sent, not those that wait behind it. Their listeners release what they hold.
      for (const response of unanswered) response.emit('close');
      if (this.#connections.size > 0) return;
      clearInterval(this.#checking);
      this.#checking = undefined;
      this.#whenEmpty();
    });
  }

  /** A request began. Returns whether to answer it. */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request;
    const connection = this.#connections.get(socket);
    // Node parses the rest of a chunk even after the socket is destroyed.
    if (connection === undefined || socket.destroyed) return false;
    // INVARIANT: nothing is executed whose response cannot be sent.
    if (socket.writableEnded) {
      socket.resetAndDestroy();
      return false;
    }
    // SECURITY: D253: one chunk holds thousands of short requests.
    if (connection.unanswered.size >= MAX_PIPELINED_REQUESTS) {
      socket.destroy();
      return false;
    }
    if (this.#isStopping) response.setHeader('Connection', 'close');
    connection.unanswered.add(response);
    connection.newest = { request, startedAtMs: performance.now() };
    connection.headersSinceMs = undefined;
    response.once('close', () => {
      connection.unanswered.delete(response);
      if (connection.unanswered.size > 0) return;
      connection.bytesRead = socket.bytesRead;
      if (this.#isStopping) socket.end();
    });
    return true;
  }

  /** Closes idle connections, and the others when their requests are answered, or after `graceMs`. */
  async close(graceMs: number): Promise<void> {
    this.#isStopping = true;
    this.#closeIdle();
    const timer = setTimeout(() => {
      for (const socket of this.#connections.keys()) socket.destroy();
    }, graceMs);
    while (this.#connections.size > 0) {
      await new Promise<void>((resolve) => {
        this.#whenEmpty = resolve;
      });
    }
    clearTimeout(timer);
  }

  /** Node treats a connection that never sent anything as busy, and would wait for it. */
  #closeIdle(): void {
    for (const [socket, { unanswered, bytesRead }] of this.#connections) {
      if (unanswered.size === 0 && socket.bytesRead === bytesRead) socket.destroy();
      for (const response of unanswered) if (!response.headersSent) response.setHeader('Connection', 'close');
    }
  }

  /** Closes connections whose headers or body did not arrive in time, and those that take no responses. Node reports idle ones. */
  #closeOverdue(): void {
    const nowMs = performance.now();
    const { requestTimeoutMs, headersTimeoutMs } = this.#timeouts;
    for (const [socket, connection] of this.#connections) {
      const { unanswered, newest, bytesRead } = connection;
      if (isStalled(socket, connection, nowMs)) socket.resetAndDestroy();
      if (socket.writableEnded || socket.destroyed) continue;
      if (newest !== undefined && !newest.request.complete) {
        if (nowMs - newest.startedAtMs > requestTimeoutMs) timeOut(socket, unanswered);
      } else if (unanswered.size === 0) {
        if (socket.bytesRead !== bytesRead) connection.headersSinceMs ??= nowMs;
        if (nowMs - (connection.headersSinceMs ?? nowMs) > headersTimeoutMs) timeOut(socket, unanswered);
      }
    }
  }
}

/**
 * Whether a client has not read anything for too long.
 * SECURITY: D344: every response has a deadline, however short it is.
 */
function isStalled(socket: Socket, connection: Connection, nowMs: number): boolean {
  const takenBytes = socket.bytesWritten - socket.writableLength;
  if (socket.writableLength > 0 && takenBytes === connection.takenBytes)
    return nowMs - connection.takenAtMs > readTimeMs(socket.writableLength);
  connection.takenBytes = takenBytes;
  connection.takenAtMs = nowMs;
  return false;
}

function timeOut(socket: Socket, unanswered: ReadonlySet<ServerResponse>): void {
  const canAnswer = socket.writable && unanswered.size <= 1 && [...unanswered].every(({ headersSent }) => !headersSent);
  if (canAnswer) socket.write(rawErrorResponse({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }));
  closeLingering(socket, false);
}
