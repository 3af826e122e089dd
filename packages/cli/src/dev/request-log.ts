import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request and its response. */
export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** The public key that stamped it. */
  readonly publicKey?: string;
  /** Status of the activity, or the error code. */
  readonly decision?: string;
  /** Error message. */
  readonly message?: string;
}

/** A longer response is forwarded without parsing. */
const READ_BYTES = 1_000_000;

/** Forwards every request to the service unchanged, and reports its outcome. */
export async function startRequestLog(
  options: { readonly port: number; readonly host: string; readonly target: URL },
  onRequest: (seen: LoggedRequest) => void,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const { target } = options;
  const server = createServer((incoming, outgoing) => {
    const startedMs = performance.now();
    const { method = 'GET', url = '/', headers } = incoming;
    const onward = request({ host: target.hostname, port: target.port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      const chunks: Buffer[] = [];
      let size = 0;
      answer.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= READ_BYTES) chunks.push(chunk);
      });
      answer.on('end', () =>
        onRequest({
          method,
          path: url.split('?')[0] ?? url,
          status: answer.statusCode ?? 502,
          ms: performance.now() - startedMs,
          ...stampedBy(incoming),
          ...(size <= READ_BYTES && decisionIn(Buffer.concat(chunks).toString('utf8'))),
        }),
      );
      answer.pipe(outgoing);
    });
    onward.on('error', () => giveUp(outgoing));
    // Abort the request if the caller disconnects.
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  await listening(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listening(server: Server, { port, host }: { readonly port: number; readonly host: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, resolve);
  });
}

function giveUp(outgoing: ServerResponse): void {
  if (outgoing.headersSent) outgoing.destroy();
  else outgoing.writeHead(502).end();
}

/** The public key in an API key stamp. */
function stampedBy({ headers }: IncomingMessage): Pick<LoggedRequest, 'publicKey'> {
  const stamp = headers['x-stamp'];
  if (typeof stamp !== 'string') return {};
  try {
    const { publicKey } = JSON.parse(Buffer.from(stamp, 'base64url').toString('utf8')) as { publicKey?: unknown };
    return typeof publicKey === 'string' ? { publicKey } : {};
  } catch {
    // Not an API key stamp. The service reports the error.
    return {};
  }
}

function decisionIn(body: string): Pick<LoggedRequest, 'decision' | 'message'> {
  try {
    const { activity, errorCode, message } = JSON.parse(body) as {
      activity?: { status?: string };
      errorCode?: string;
      message?: string;
    };
    if (errorCode !== undefined) return { decision: errorCode, ...(message !== undefined && { message }) };
    return activity?.status === undefined ? {} : { decision: activity.status };
  } catch {
    // Not an API response, such as a page or an image.
    return {};
  }
}
