import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createFirstOrganization, type FirstCredentials } from '../../../packages/server/src/commands/initialize.ts';
import { paths } from '../../../packages/server/src/config/paths.ts';
import type { Config } from '../../../packages/server/src/config/settings.ts';
import { EdgeLink } from '../../../packages/server/src/isolation/edge-link.ts';
import { type Frame, FrameReader, FrameWriter } from '../../../packages/server/src/isolation/frames.ts';
import {
  type ConnectionHead,
  fromCore,
  fromEdge,
  openedText,
  readResponseText,
  requestText,
} from '../../../packages/server/src/isolation/protocol.ts';
import { openService } from '../../../packages/server/src/open-service.ts';
import { startWorker } from '../../../packages/server/src/process/start-worker.ts';
import { type ApiKey, encodeStamp, importApiKey, stampFields } from '../../support/api-key.ts';
import type { Json } from '../../support/caller.ts';
import type { Installation } from '../../support/installation.ts';

/** The response to a request that was sent through a pipe. */
export interface PipeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Json;
}

/** A core in this process. Its edges are pipes that the test holds. */
export async function startCore(installation: Installation, settings: Partial<Config> = {}) {
  const config = { ...installation.config, ...settings, shutdownSeconds: 1 };
  const service = await openService(config);
  await createFirstOrganization(config, service.services, { organizationName: 'First organization', userName: 'Root user' });
  const link = new EdgeLink();
  const worker = await startWorker(config, service, { edge: link });
  const path = join(installation.directory, 'pipe');
  const server = createServer((socket) => link.attach(socket)).listen(path);
  await once(server, 'listening');
  const first = JSON.parse(readFileSync(paths.credentials(config), 'utf8')) as FirstCredentials;
  return {
    first,
    key: importApiKey(first),
    link,
    /** Connects as an edge that does what the test says. */
    async edge(): Promise<HeldEdge> {
      const socket = connect(path);
      await once(socket, 'connect');
      return new HeldEdge(socket);
    },
    async close() {
      server.close();
      await worker.close();
    },
  };
}

/** The edge's end of a pipe, in the hands of a test. */
export class HeldEdge {
  readonly writer: FrameWriter;
  readonly ended: Promise<unknown>;
  readonly frames: Frame[] = [];
  readonly #socket: Socket;
  readonly #waiting = new Map<number, (answer: PipeAnswer) => void>();
  #lastRequest = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.writer = new FrameWriter(socket);
    this.ended = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {});
    const reader = new FrameReader(1e9, (frame) => this.#take(frame));
    socket.on('data', (chunk: Buffer) => reader.push(chunk));
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  open(id = 1, claims: Partial<ConnectionHead> = {}): this {
    this.writer.write(fromEdge.opened, id, openedText({ address: '127.0.0.1', localPort: 8787, certificateKey: '', ...claims }));
    return this;
  }

  /** Sends a whole request. */
  send(path: string, body: string, headers: Record<string, string> = {}, method = 'POST', on = 1): Promise<PipeAnswer> {
    const id = ++this.#lastRequest;
    const text = requestText({
      connectionId: on,
      isComplete: true,
      method,
      url: path,
      headers: { host: 'localhost', ...headers },
    });
    this.writer.write(fromEdge.request, id, text, body);
    return this.answerTo(id);
  }

  stamped(path: string, body: string, key: ApiKey, on = 1): Promise<PipeAnswer> {
    return this.send(path, body, { 'x-stamp': encodeStamp(stampFields(key, Buffer.from(body))) }, 'POST', on);
  }

  answerTo(id: number): Promise<PipeAnswer> {
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  raw(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(frame: Frame): void {
    this.frames.push(frame);
    if (frame.kind !== fromCore.response) return;
    const { status, headers } = readResponseText(frame.text);
    const isJson = String(headers['Content-Type']).startsWith('application/json');
    const body = isJson ? JSON.parse(frame.bytes.toString()) : frame.bytes.toString();
    this.#waiting.get(frame.id)?.({ status, headers, body });
  }
}
