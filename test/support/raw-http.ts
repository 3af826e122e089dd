import { connect } from 'node:net';

/** The received status (0 without a status line) and the whole text. */
export interface RawAnswer {
  readonly status: number;
  readonly text: string;
  readonly elapsedMs: number;
}

/**
 * Sends bytes over a socket exactly as they are and reads until the server closes it, answers in full, or `waitMs` pass.
 * For requests that no client library would send.
 */
export function sendRaw(url: string, parts: readonly (string | Uint8Array)[], waitMs = 60_000): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
      resolve({ status, text, elapsedMs: performance.now() - startedAt });
    };
    const timer = setTimeout(finish, waitMs);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (isComplete(text)) finish();
    });
    socket.on('close', finish);
    // A server may close the connection while it still receives. Its answer before that counts.
    socket.on('error', () => undefined);
    for (const part of parts) socket.write(part);
  });
}

function isComplete(text: string): boolean {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  return length !== undefined && rest.join('\r\n\r\n').length >= Number(length);
}
