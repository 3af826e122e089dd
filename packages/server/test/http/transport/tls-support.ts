import { connect as connectPlain } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';

/** Waits until a connection is closed. Returns what it received. */
export function untilClosed(socket: Pick<TLSSocket, 'on'>): Promise<string> {
  return new Promise((resolve) => {
    let heard = '';
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString('latin1')));
    // A reset closes the connection too.
    socket.on('error', () => {}).on('close', () => resolve(heard));
  });
}

/** Sends bytes over TLS, and returns the response once the server has closed the connection. */
export function talk(port: number, text: string, options: ConnectionOptions): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', ...options });
  const heard = untilClosed(socket);
  socket.write(text);
  return heard;
}

/** The same without TLS. */
export function talkPlain(port: number, bytes: string | Uint8Array): Promise<string> {
  const socket = connectPlain({ host: '127.0.0.1', port });
  const heard = untilClosed(socket as TLSSocket);
  socket.write(bytes);
  return heard;
}

export const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more}\r\n`;
