import { connect, type Socket } from 'node:net';

const READ_BYTES = 65_536;
const LENGTH_NAME = '\r\ncontent-length: ';

/** Receives the head (status line and headers) and the body of one response. */
export type OnResponse = (head: string, body: string) => void;

/**
 * One keep-alive connection with one request in flight at a time. It knows only as much HTTP as this service's responses need:
 * load and service share the machine, so the load must cost little.
 */
export class Connection {
  readonly #socket: Socket;
  #onResponse: OnResponse | undefined;
  #received = '';

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Connects. Calls `onError` when the connection breaks. */
  static open(host: string, port: number, onError: (error: Error) => void): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const onread = {
        buffer: Buffer.allocUnsafe(READ_BYTES),
        callback(length: number, buffer: Uint8Array): boolean {
          connection.#take((buffer as Buffer).toString('latin1', 0, length), onError);
          return true;
        },
      };
      const socket = connect({ host, port, noDelay: true, onread }, () => {
        socket.off('error', reject).on('error', onError);
        resolve(connection);
      });
      const connection = new Connection(socket);
      socket.once('error', reject);
      socket.once('end', () => onError(new Error('the server closed a connection')));
    });
  }

  /** Sends one whole request. The previous request must have its response. */
  send(request: Uint8Array, onResponse: OnResponse): void {
    this.#onResponse = onResponse;
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.removeAllListeners('end');
    this.#socket.destroy();
  }

  #take(chunk: string, onError: (error: Error) => void): void {
    const text = this.#received === '' ? chunk : this.#received + chunk;
    const headEnd = text.indexOf('\r\n\r\n');
    if (headEnd === -1) {
      this.#received = text;
      return;
    }
    const head = text.slice(0, headEnd);
    const length = contentLength(head);
    if (Number.isNaN(length)) {
      onError(new Error(`a response has no Content-Length:\n${head}`));
      return;
    }
    if (text.length < headEnd + 4 + length) {
      this.#received = text;
      return;
    }
    this.#received = '';
    const onResponse = this.#onResponse;
    this.#onResponse = undefined;
    if (onResponse === undefined) onError(new Error(`a response came without a request:\n${head}`));
    else onResponse(head, text.slice(headEnd + 4));
  }
}

function contentLength(head: string): number {
  const lower = head.toLowerCase();
  const at = lower.indexOf(LENGTH_NAME);
  return at === -1 ? Number.NaN : Number.parseInt(lower.slice(at + LENGTH_NAME.length), 10);
}
