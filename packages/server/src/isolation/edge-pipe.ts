import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { AdmittedRequest } from '../admission/index.ts';
import { SHORT_RESPONSE } from '../admission/index.ts';
import { type HttpResponse, lengthOf } from '../http/transport/messages.ts';
import { EdgeConnection, EdgeRequest } from './edge-request.ts';
import { type Frame, FrameReader, FrameWriter, ProtocolError } from './frames.ts';
import {
  fromCore,
  fromEdge,
  MAX_BODY_PART,
  MAX_EDGE_FRAME,
  MAX_EDGE_TEXT,
  MAX_UNANSWERED,
  readOpenedText,
  readRequestText,
  responseText,
} from './protocol.ts';

/** Answers a request. `write` is called at most once; without an admitted request if nothing bounds its response. */
export type AnswerEdge = (
  request: EdgeRequest,
  write: (response: HttpResponse, admitted?: AdmittedRequest) => void,
) => Promise<void>;

export interface PipeServices {
  /** Counts a connection. Returns its release, or undefined if there are too many. */
  readonly admit: (connection: EdgeConnection) => (() => void) | undefined;
  readonly answer: AnswerEdge;
  /** How a post ended. */
  posted(id: number, text: string): void;
  readonly log: Pick<Logger, 'error'>;
}

/** Connections of one edge. Beyond it, the edge does not follow the limits of the core. */
const MAX_CONNECTIONS = 65_536;
/** Bytes that wait for the edge before no more requests are read. */
const MAX_WAITING_BYTES = 16_777_216;
/** Memory of unanswered requests, without their bodies, before no more requests are read. */
const MAX_HEAD_BYTES = 67_108_864;
/** Memory of a request in addition to its head. */
const REQUEST_BYTES = 2_048;

/**
 * The core's end of the pipe to one edge.
 * SECURITY: D585: nothing that arrives is believed. The address of a client, its connection and its requests are claims; who a request comes
 * from is decided by its stamp alone. Bytes that break the protocol end the pipe, and with it the edge.
 */
export class EdgePipe {
  readonly #pipe: Socket;
  readonly #services: PipeServices;
  readonly #writer: FrameWriter;
  readonly #connections = new Map<number, EdgeConnection>();
  readonly #requests = new Map<number, EdgeRequest>();
  #headBytes = 0;
  /** Resolves when the edge has ended, or was given up. */
  readonly ended: Promise<void>;

  constructor(pipe: Socket, services: PipeServices) {
    this.#pipe = pipe;
    this.#services = services;
    this.#writer = new FrameWriter(pipe);
    const reader = new FrameReader(MAX_EDGE_FRAME, (frame) => this.#take(frame));
    this.ended = new Promise((resolve) => {
      pipe.on('close', () => {
        for (const connection of this.#connections.values()) connection.ended();
        this.#connections.clear();
        this.#requests.clear();
        resolve();
      });
    });
    pipe.on('error', () => pipe.destroy());
    pipe.on('end', () => pipe.destroy());
    pipe.on('drain', () => this.#readOn());
    pipe.on('data', (chunk: Buffer) => this.#read(reader, chunk));
  }

  get isOpen(): boolean {
    return this.#pipe.writable;
  }

  post(id: number, text: string, body: string | Uint8Array): void {
    this.#writer.write(fromCore.post, id, text, body);
  }

  stop(graceMs: number): void {
    this.#writer.write(fromCore.stop, graceMs);
  }

  destroy(): void {
    this.#pipe.destroy();
  }

  #read(reader: FrameReader, chunk: Buffer): void {
    try {
      reader.push(chunk);
      if (this.#isFull) this.#pipe.pause();
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#services.log.error({ reason: error.message }, 'an edge process broke the protocol; its connections end');
      this.#pipe.destroy();
    }
  }

  /** SECURITY: D661: heads count as well as bodies and responses, so that an edge cannot use up the memory of the machine. */
  get #isFull(): boolean {
    return this.#pipe.writableLength > MAX_WAITING_BYTES || this.#headBytes > MAX_HEAD_BYTES;
  }

  #readOn(): void {
    if (!this.#isFull) this.#pipe.resume();
  }

  #take({ kind, id, text, bytes }: Frame): void {
    // What arrived in the same chunk after the pipe was given up.
    if (this.#pipe.destroyed) return;
    if (text.length > MAX_EDGE_TEXT) throw new ProtocolError('a text that is too long');
    switch (kind) {
      case fromEdge.opened:
        this.#open(id, text);
        break;
      case fromEdge.closed:
        this.#connections.get(id)?.ended();
        this.#connections.delete(id);
        break;
      case fromEdge.request:
        this.#begin(id, text, bytes);
        break;
      case fromEdge.body:
        this.#continue(id, bytes);
        break;
      case fromEdge.bodyEnd:
        this.#end(id);
        break;
      case fromEdge.posted:
        this.#services.posted(id, text);
        break;
      default:
        throw new ProtocolError(`an unknown kind of frame, ${kind}`);
    }
  }

  #open(id: number, text: string): void {
    if (this.#connections.has(id) || this.#connections.size >= MAX_CONNECTIONS) throw new ProtocolError('too many connections');
    const connection = new EdgeConnection(id, readOpenedText(text), () => this.#writer.write(fromCore.reset, id));
    this.#connections.set(id, connection);
    const release = this.#services.admit(connection);
    if (release === undefined) connection.resetAndDestroy();
    else connection.release = release;
  }

  #begin(id: number, text: string, bytes: Buffer): void {
    const head = readRequestText(text);
    const connection = this.#connections.get(head.connectionId);
    if (connection === undefined || this.#requests.has(id)) throw new ProtocolError('a request without a connection');
    if (bytes.length > MAX_BODY_PART) throw new ProtocolError('a part of a body that is too long');
    // It was reset, and the edge does not know yet.
    if (connection.destroyed) return;
    if (connection.requests.size >= MAX_UNANSWERED) throw new ProtocolError('too many requests of one connection');
    const request = new EdgeRequest(id, connection, head, () => this.#writer.write(fromCore.bodyTaken, id));
    const headBytes = text.length + REQUEST_BYTES;
    this.#headBytes += headBytes;
    request.gone = () => {
      if (this.#requests.delete(id)) this.#headBytes -= headBytes;
      this.#readOn();
    };
    this.#requests.set(id, request);
    connection.requests.add(request);
    request.add(bytes);
    if (head.isComplete) request.end();
    void this.#services.answer(request, (response, admitted) => this.#respond(request, response, admitted));
  }

  #continue(id: number, bytes: Buffer): void {
    const request = this.#requests.get(id);
    // It was answered, and the edge does not know yet.
    if (request === undefined) return;
    if (request.complete || request.isUnread || bytes.length > MAX_BODY_PART)
      throw new ProtocolError('a part of a body out of turn');
    request.add(bytes);
  }

  #end(id: number): void {
    const request = this.#requests.get(id);
    if (request?.complete === true) throw new ProtocolError('a body that ended twice');
    request?.end();
  }

  #respond(request: EdgeRequest, { status, headers, body }: HttpResponse, admitted?: AdmittedRequest): void {
    const { from: connection, id } = request;
    if (connection.destroyed) return;
    request.gone();
    connection.requests.delete(request);
    const length = lengthOf(body);
    // The edge bounds what it holds itself, by the same holder.
    const text = responseText({ status, headers, holder: length > SHORT_RESPONSE ? (admitted?.provenHolder ?? '') : '' });
    const written = length > SHORT_RESPONSE ? admitted?.responded(length) : undefined;
    this.#writer.write(fromCore.response, id, text, request.method === 'HEAD' ? '' : body, written);
  }
}
