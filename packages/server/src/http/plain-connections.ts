import type { Socket } from 'node:net';
import { createAnswerWriter, type PlainAnswer } from './plain-answer.ts';
import { type PlainHead, readPlainHead } from './plain-head.ts';
import { createPlainQueue } from './plain-queue.ts';

/** Answers a plain request; undefined, at once, if only node:http can. Never rejects. */
export type AnswerPlain = (head: PlainHead, body: Buffer, socket: Socket) => Promise<PlainAnswer> | undefined;

export interface PlainOptions {
  readonly maxBodyBytes: number;
  /** How long a new connection may take to its first request. */
  readonly firstRequestMs: number;
  readonly keepAliveSeconds: number;
  readonly answer: AnswerPlain;
  /** A connection arrived in this turn of the event loop. Says whether what is ready may wait for the next ones. */
  arrived?(socket: Socket): boolean;
  /** Is given what lets requests that have arrived get in line. */
  beforeWork?(call: () => void): void;
  /** Does what takes long for a connection in a later turn of the event loop, fairly between clients. */
  inTurn(socket: Socket, work: () => void): void;
  /** Gives a connection to node:http, with the bytes that were read from it. */
  handOver(socket: Socket, read: Buffer): void;
  /** The answer to a connection whose first request did not come in time. */
  timedOut(): string;
}

/** Connections whose requests have all been plain. */
export interface PlainConnections {
  serve(socket: Socket): void;
  /** Ends idle connections. The others end with the answer that is under way. */
  stop(): void;
  destroy(): void;
  readonly size: number;
  onEmpty(call: () => void): void;
}

/** All parts go to the system in one call. */
function writeParts(socket: Socket, [first, ...others]: readonly [Uint8Array, ...Uint8Array[]], taken?: () => void): boolean {
  const last = others.pop();
  if (last === undefined) return socket.write(first, taken);
  socket.cork();
  socket.write(first);
  for (const part of others) socket.write(part);
  const isTaken = socket.write(last, taken);
  socket.uncork();
  return isTaken;
}

/** How often times are looked at. */
const CHECK_MS = 1_000;
/** What a client may send ahead while its request is answered. */
const MAX_EARLY_BYTES = 65_536;

interface Connection {
  readonly socket: Socket;
  isAnswering: boolean;
  /** By the clock of `performance`: when the connection ends unless a request comes. */
  deadlineMs: number;
  /** Whether no request came yet. */
  isNew: boolean;
  /** What came while a request was answered. */
  early: Buffer[];
  earlyBytes: number;
  release(): void;
}

/**
 * Serves requests that come in one piece and in their plainest form straight from their sockets: one read, one write. A connection on
 * which anything else comes belongs to node:http from then on, which reads it from the first byte that was not answered.
 * INVARIANT: a connection has one request under way at a time, so answers are in the order of requests.
 */
export function createPlainConnections(options: PlainOptions): PlainConnections {
  const { answer, maxBodyBytes } = options;
  const connections = new Set<Connection>();
  const writer = createAnswerWriter(options.keepAliveSeconds);
  const queue = createPlainQueue();
  options.beforeWork?.(queue.hurry);
  let stopping = false;
  let whenEmpty = () => {};
  let checking: NodeJS.Timeout | undefined;

  function onData(connection: Connection, chunk: Buffer): void {
    if (connection.isAnswering) {
      keepEarly(connection, chunk);
      return;
    }
    const head = readPlainHead(chunk);
    const isWhole = head !== undefined && head.bodyLength <= maxBodyBytes && chunk.length === head.bodyStart + head.bodyLength;
    connection.isAnswering = true;
    if (!isWhole) {
      handOverInTurn(connection, chunk);
      return;
    }
    connection.isNew = false;
    connection.deadlineMs = Number.POSITIVE_INFINITY;
    queue.add(() => begin(connection, head, chunk));
  }

  function begin(connection: Connection, head: PlainHead, chunk: Buffer): void {
    const { socket } = connection;
    // Nobody is there to get the answer. node:http drops such a request too, if it has not begun.
    if (!socket.writable) return;
    const answering = answer(head, chunk.subarray(head.bodyStart), socket);
    if (answering === undefined) handOver(connection, [chunk, ...connection.early]);
    else answering.then((answered) => send(connection, answered));
  }

  function send(connection: Connection, answered: PlainAnswer): void {
    const { socket, early } = connection;
    const { taken } = answered;
    if (!socket.writable) {
      taken?.();
      return;
    }
    const isTaken = writeParts(socket, writer.write(answered, stopping), taken);
    if (stopping) {
      socket.end();
      return;
    }
    // Who does not read answers gets to send nothing more.
    if (!isTaken) socket.pause();
    connection.isAnswering = false;
    connection.deadlineMs = performance.now() + options.keepAliveSeconds * 1000;
    if (early.length > 0) handOver(connection, early);
  }

  function keepEarly(connection: Connection, chunk: Buffer): void {
    connection.early.push(chunk);
    connection.earlyBytes += chunk.length;
    if (connection.earlyBytes > MAX_EARLY_BYTES) connection.socket.pause();
  }

  /** SECURITY: D248: hundreds of connections with a part of a body each, all at once, would keep one turn of the event loop busy. */
  function handOverInTurn(connection: Connection, chunk: Buffer): void {
    const { socket, early } = connection;
    socket.pause();
    // Put back at once: a socket with nothing to read tells that its client hung up even while it is paused, and takes no bytes back then.
    socket.unshift(chunk);
    options.inTurn(socket, () => {
      if (!socket.destroyed) handOver(connection, early);
    });
  }

  function handOver(connection: Connection, read: readonly Buffer[]): void {
    connection.release();
    leave(connection);
    options.handOver(connection.socket, read.length === 1 ? (read[0] as Buffer) : Buffer.concat(read));
  }

  function leave(connection: Connection): void {
    connections.delete(connection);
    if (connections.size > 0) return;
    clearInterval(checking);
    checking = undefined;
    whenEmpty();
  }

  function check(): void {
    const nowMs = performance.now();
    for (const { socket, deadlineMs, isNew } of connections) {
      if (nowMs < deadlineMs) continue;
      if (isNew) socket.end(options.timedOut());
      socket.destroySoon();
    }
  }

  return {
    serve(socket) {
      if (options.arrived?.(socket) ?? true) queue.noteArrival();
      const listeners = {
        data: (chunk: Buffer) => onData(connection, chunk),
        drain: () => void socket.resume(),
        // Like node:http, which does not answer who has hung up.
        end: () => void socket.end(),
        error: () => void socket.destroy(),
        close: () => leave(connection),
      };
      const connection: Connection = {
        socket,
        isAnswering: false,
        isNew: true,
        deadlineMs: performance.now() + options.firstRequestMs,
        early: [],
        earlyBytes: 0,
        release() {
          for (const [name, listener] of Object.entries(listeners)) socket.off(name, listener);
        },
      };
      connections.add(connection);
      for (const [name, listener] of Object.entries(listeners)) socket.on(name, listener);
      checking ??= setInterval(check, CHECK_MS).unref();
    },
    stop() {
      stopping = true;
      for (const { isAnswering, socket } of connections) if (!isAnswering) socket.destroy();
    },
    destroy() {
      for (const { socket } of connections) socket.destroy();
    },
    get size() {
      return connections.size;
    },
    onEmpty(call) {
      whenEmpty = call;
    },
  };
}
