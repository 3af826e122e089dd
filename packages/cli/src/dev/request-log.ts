import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request, after it was answered. */
export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** The public key that stamped it. */
  readonly publicKey?: string;
  /** What became of it: the status of the activity, or the code of the error. */
  readonly decision?: string;
  /** Why it was refused. */
  readonly message?: string;
}

/** A response longer than this is passed on, and not read. */
const READ_BYTES = 1_000_000;

/** Passes every request on to the service, byte for byte, and tells what became of it. */
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
    // A caller that goes away takes its request along.
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

/** The key in a stamp of an API key. SECURITY: only the public half is in it. */
function stampedBy({ headers }: IncomingMessage): Pick<LoggedRequest, 'publicKey'> {
  const stamp = headers['x-stamp'];
  if (typeof stamp !== 'string') return {};
  try {
    const { publicKey } = JSON.parse(Buffer.from(stamp, 'base64url').toString('utf8')) as { publicKey?: unknown };
    return typeof publicKey === 'string' ? { publicKey } : {};
  } catch {
    // Not a stamp of an API key. The service says what is wrong with it.
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
    // A page, a picture: nothing was decided.
    return {};
  }
}
