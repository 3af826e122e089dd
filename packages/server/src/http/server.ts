import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Config } from '../config/settings.ts';
import { rememberPeer } from './client-address.ts';
import { rawErrorResponse } from './listener.ts';

/** An HTTP server, whose connections come from a port of its own or are handed to it. */
export interface HttpServer {
  /** Starts listening, and gives the port. Rejects with the system's error where the address cannot be had. */
  listen(): Promise<number>;
  /** Serves a connection that another process accepted. */
  take(socket: Socket): void;
  /** Takes no new connections, ends idle ones, lets requests under way finish for `graceMs`, then ends what is left. */
  close(graceMs: number): Promise<void>;
}

/** What goes on on a connection. */
interface Connection {
  readonly answering: Set<ServerResponse>;
  /** How much had arrived when its last request was answered: no more than that, and no other request has begun. */
  bytesRead: number;
}

/** Nothing is served before `listen` or `take`. */
export function createHttpServer(config: Config, respond: RequestListener): HttpServer {
  const connections = new Map<Socket, Connection>();
  let stopping = false;
  let watched = false;
  let whenEmpty = () => {};

  const server: Server = createServer(
    {
      requestTimeout: config.requestTimeoutSeconds * 1000,
      headersTimeout: Math.min(config.requestTimeoutSeconds, 15) * 1000,
      keepAliveTimeout: config.keepAliveSeconds * 1000,
      connectionsCheckingInterval: 1000,
      noDelay: true,
    },
    (request, response) => {
      const { socket } = request;
      const connection = connections.get(socket);
      if (stopping) response.setHeader('Connection', 'close');
      connection?.answering.add(response);
      response.once('close', () => {
        connection?.answering.delete(response);
        if (connection === undefined || connection.answering.size > 0) return;
        connection.bytesRead = socket.bytesRead;
        if (stopping) socket.end();
      });
      respond(request, response);
    },
  );
  server.on('connection', (socket: Socket) => {
    if (!rememberPeer(socket)) {
      socket.destroy();
      return;
    }
    connections.set(socket, { answering: new Set(), bytesRead: 0 });
    socket.once('close', () => {
      connections.delete(socket);
      if (connections.size === 0) whenEmpty();
    });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else socket.end(rawErrorResponse(error));
  });

  /** Node takes a connection on which nothing was ever sent for a busy one, and would wait for it. */
  function endIdle(): void {
    for (const [socket, { answering, bytesRead }] of connections) {
      if (answering.size === 0 && socket.bytesRead === bytesRead) socket.destroy();
      for (const response of answering) if (!response.headersSent) response.setHeader('Connection', 'close');
    }
  }

  return {
    async listen() {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host: config.host, port: config.port, backlog: 1024 }, () => {
          server.off('error', reject);
          resolve();
        });
      });
      return (server.address() as AddressInfo).port;
    },
    take(socket) {
      if (stopping) {
        socket.destroy();
        return;
      }
      // Node watches over the time that requests take to arrive from this event on.
      if (!watched) watched = server.emit('listening');
      server.emit('connection', socket);
      socket.resume();
    },
    async close(graceMs) {
      stopping = true;
      server.close();
      endIdle();
      const timer = setTimeout(() => {
        for (const socket of connections.keys()) socket.destroy();
      }, graceMs);
      if (connections.size > 0) {
        await new Promise<void>((resolve) => {
          whenEmpty = resolve;
        });
      }
      clearTimeout(timer);
    },
  };
}
