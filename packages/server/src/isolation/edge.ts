import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createByteBudget, enforceReadDeadline, openHandshakes } from '../admission/index.ts';
import type { ClientAddress } from '../http/transport/client-address.ts';
import { certificateKeyOf } from '../http/transport/client-certificate.ts';
import { createEntrance, ENTRANCE_SECONDS } from '../http/transport/entrance.ts';
import { writeResponse } from '../http/transport/messages.ts';
import { createHttpServer, type HttpServer } from '../http/transport/server.ts';
import type { UsedTls } from '../http/transport/tls.ts';
import { createTlsHandshakes } from '../http/transport/tls-handshake.ts';
import { showIpAddress } from '../network/ip-address.ts';
import { EdgePosts } from './edge-posts.ts';
import type { EdgeSettings } from './edge-settings.ts';
import { ForwardedBody } from './forwarded-body.ts';
import { type Frame, FrameReader, FrameWriter } from './frames.ts';
import { fromCore, fromEdge, MAX_CORE_FRAME, openedText, readResponseText } from './protocol.ts';

/** A request that the core has not answered. */
interface Unanswered {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: ForwardedBody;
}

/** An edge: HTTP on one side, the pipe to its core on the other. */
export interface Edge {
  take: HttpServer['take'];
  /** New connections use these certificates. */
  reload(tls: UsedTls): void;
  /** Resolves when the pipe has ended. There is nothing to do without a core. */
  readonly ended: Promise<void>;
}

/** Serves connections by asking the core. */
export function startEdge(settings: EdgeSettings, pipe: Socket): Edge {
  const writer = new FrameWriter(pipe);
  const connections = new Map<number, Socket>();
  const ids = new WeakMap<Socket, number>();
  const unanswered = new Map<number, Unanswered>();
  const responses = createByteBudget(settings.maxUntakenAnswerBytes);
  const posts = new EdgePosts(settings, (id, text) => writer.write(fromEdge.posted, id, text));
  const tls = settings.tls && createTlsHandshakes(settings.tls.files, settings.tls.settings);
  let lastConnection = 0;
  let lastRequest = 0;

  function admit(peer: ClientAddress, socket: Socket): () => void {
    lastConnection = nextId(lastConnection, connections);
    const id = lastConnection;
    connections.set(id, socket);
    ids.set(socket, id);
    const address = peer && showIpAddress(peer);
    const opened = { address, localPort: socket.localPort ?? 0, certificateKey: certificateKeyOf(socket) };
    writer.write(fromEdge.opened, id, openedText(opened));
    return () => {
      connections.delete(id);
      writer.write(fromEdge.closed, id);
    };
  }

  const places = { ...settings, host: '', port: 0 };
  const server = createHttpServer(places, forward, {
    entrance: createEntrance({
      ...(settings.proxies && { proxies: settings.proxies }),
      // SECURITY: D597: handshakes take turns and are counted per address here, as the core does not see them.
      ...(tls && { tls, handshake: openHandshakes(settings.handshakes) }),
      deadlineMs: Math.min(settings.requestTimeoutSeconds, ENTRANCE_SECONDS) * 1000,
    }),
    admit,
  });
  const admin = createHttpServer(places, forward, { admit });

  function forward(request: IncomingMessage, response: ServerResponse): void {
    const connectionId = ids.get(request.socket);
    if (connectionId === undefined) return;
    lastRequest = nextId(lastRequest, unanswered);
    const id = lastRequest;
    const body = new ForwardedBody(writer, id, connectionId, request);
    unanswered.set(id, { request, response, body });
    response.once('close', () => {
      body.stop();
      unanswered.delete(id);
    });
  }

  function respond(id: number, text: string, bytes: Buffer): void {
    const waiting = unanswered.get(id);
    if (waiting === undefined) return;
    const { request, response, body } = waiting;
    body.stop();
    unanswered.delete(id);
    const { status, headers, holder } = readResponseText(text);
    const name = holder || (request.socket.remoteAddress ?? '');
    const reset = () => void request.socket.resetAndDestroy();
    writeResponse(
      request,
      response,
      { status, headers, body: bytes },
      {
        responded(length) {
          const held = responses.hold({ isProven: holder !== '', name }, reset);
          held.add(length);
          return enforceReadDeadline(request.socket, length, held);
        },
      },
    );
  }

  function take({ kind, id, text, bytes }: Frame): void {
    if (kind === fromCore.response) respond(id, text, bytes);
    else if (kind === fromCore.bodyTaken) unanswered.get(id)?.body.taken();
    else if (kind === fromCore.reset) connections.get(id)?.resetAndDestroy();
    else if (kind === fromCore.post) posts.begin(id, text, bytes);
    else if (kind === fromCore.stop) void Promise.all([server.close(id), admin.close(id)]).then(() => pipe.end());
  }

  const reader = new FrameReader(MAX_CORE_FRAME, take);
  pipe.on('data', (chunk: Buffer) => reader.push(chunk));
  pipe.on('error', () => pipe.destroy());
  const ended = new Promise<void>((resolve) => pipe.once('close', () => resolve()));
  return {
    take: (socket) => (socket.localPort === settings.adminPort ? admin : server).take(socket),
    reload: (next) => tls?.reload(next.files, next.settings),
    ended,
  };
}

/** The next id that is not in use. Ids have 32 bits. */
function nextId(last: number, used: ReadonlyMap<number, unknown>): number {
  let id = last;
  do id = (id + 1) % 2 ** 32;
  while (used.has(id));
  return id;
}
