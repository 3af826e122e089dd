import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { rawErrorResponse } from './raw-error-response.ts';

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
}

export interface ConnectionTimeouts {
  readonly requestTimeoutMs: number;
  readonly headersTimeoutMs: number;
}

/** The open connections of a server and their unanswered requests. */
export class Connections {
  readonly #timeouts: ConnectionTimeouts;
  readonly #connections = new Map<Socket, Connection>();
  #isStopping = false;
  #checking: NodeJS.Timeout | undefined;
  #whenEmpty = () => {};

  constructor(timeouts: ConnectionTimeouts) {
    this.#timeouts = timeouts;
  }

  add(socket: Socket): void {
    this.#connections.set(socket, {
      unanswered: new Set(),
      newest: undefined,
      bytesRead: 0,
      headersSinceMs: performance.now(),
    });
    this.#checking ??= setInterval(() => this.#closeOverdue(), CHECK_MS).unref();
    socket.once('close', () => {
      this.#connections.delete(socket);
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

  /** Closes connections whose headers or body did not arrive in time. Node itself closes idle ones after `keepAliveTimeout`. */
  #closeOverdue(): void {
    const nowMs = performance.now();
    const { requestTimeoutMs, headersTimeoutMs } = this.#timeouts;
    for (const [socket, connection] of this.#connections) {
      const { unanswered, newest, bytesRead } = connection;
      if (newest !== undefined && !newest.request.complete) {
        if (nowMs - newest.startedAtMs > requestTimeoutMs) timeOut(socket, unanswered);
      } else if (unanswered.size === 0) {
        if (socket.bytesRead !== bytesRead) connection.headersSinceMs ??= nowMs;
        if (nowMs - (connection.headersSinceMs ?? nowMs) > headersTimeoutMs) timeOut(socket, unanswered);
      }
    }
  }
}

function timeOut(socket: Socket, unanswered: ReadonlySet<ServerResponse>): void {
  const canAnswer = socket.writable && unanswered.size <= 1 && [...unanswered].every(({ headersSent }) => !headersSent);
  if (canAnswer) socket.end(rawErrorResponse({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }));
  socket.destroySoon();
}
