import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionHead, RequestHead } from './protocol.ts';

/** A connection that an edge says it has. */
export class EdgeConnection {
  readonly id: number;
  /** As the edge claims. Undefined if a proxy does not know its client. */
  readonly remoteAddress: string | undefined;
  readonly localPort: number;
  /** SECURITY: D660: also as the edge claims. It is a second proof with a stamp, and never the only one. */
  readonly certificateKey: string;
  /** Like that of a socket: Node reads nothing from it. */
  readonly readable = false;
  destroyed = false;
  readonly requests = new Set<EdgeRequest>();
  /** Called once, when it has ended. */
  release: () => void = () => {};
  readonly #reset: () => void;

  constructor(id: number, { address, localPort, certificateKey }: ConnectionHead, reset: () => void) {
    this.id = id;
    this.remoteAddress = address;
    this.localPort = localPort;
    this.certificateKey = certificateKey;
    this.#reset = reset;
  }

  /** Tells the edge to end it. */
  resetAndDestroy(): this {
    if (!this.destroyed) {
      this.#reset();
      this.ended();
    }
    return this;
  }

  destroy(): this {
    return this.resetAndDestroy();
  }

  /** The edge has ended it, or has itself ended. */
  ended(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    for (const request of this.requests) request.abandon();
    this.requests.clear();
    this.release();
  }
}

/** The key of the certificate that the edge claims for the connection of a request. */
export function claimedCertificateKey(socket: object): string {
  return (socket as EdgeConnection).certificateKey;
}

/** A request that came through an edge. Its body arrives in parts, the next one after the last was read. */
export class EdgeRequest extends IncomingMessage {
  readonly id: number;
  readonly from: EdgeConnection;
  /** Called when it was answered, or its connection is gone. */
  gone: () => void = () => {};
  readonly #taken: () => void;
  #isUnread = false;

  constructor(id: number, connection: EdgeConnection, { method, url, headers, isComplete }: RequestHead, taken: () => void) {
    // The parts of a socket that the service uses: see `EdgeConnection`.
    super(connection as unknown as Socket);
    this.id = id;
    this.from = connection;
    this.method = method;
    this.url = url;
    this.headers = headers;
    this.httpVersion = '1.1';
    this.complete = isComplete;
    this.#taken = taken;
  }

  /** Whether a part of the body waits to be read. */
  get isUnread(): boolean {
    return this.#isUnread;
  }

  add(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#isUnread = true;
    this.push(part);
    // Node does not call `_read` of such a message after a part that a reader took at once.
    if (this.readableLength === 0) this._read();
  }

  end(): void {
    this.complete = true;
    this.push(null);
  }

  abandon(): void {
    this.gone();
    this.destroy();
  }

  override _read(): void {
    if (!this.#isUnread) return;
    this.#isUnread = false;
    if (!this.complete) this.#taken();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    done(error);
  }
}
