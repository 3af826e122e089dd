import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { dialects, ServiceError } from '@countersign/contract';
import type { Logger } from 'pino';
import { spec } from '../dialects/spec.ts';
import { turnkey } from '../dialects/turnkey.ts';
import { createForwarder } from './forward.ts';
import { readWhole } from './read-whole.ts';
import { createReadinessPage } from './readiness-page.ts';
import type { ShardAddresses } from './shard-addresses.ts';
import { pageTarget, shardOfRequest } from './target.ts';

export interface RouterSettings {
  readonly addresses: ShardAddresses;
  /** Largest request body. */
  readonly maxBodyBytes: number;
}

/** Bytes of bodies that are being read or forwarded. SECURITY: strangers send bodies too, and the router cannot tell them apart. */
const MAX_HELD_BYTES = 134_217_728;

/** Forwards each request to the shard of its organization. It decides nothing: shards authenticate and authorize. */
export function createRouter(
  { addresses, maxBodyBytes }: RouterSettings,
  log: Pick<Logger, 'warn' | 'error'>,
): { readonly respond: RequestListener; close(): void } {
  const forwarder = createForwarder();
  const readiness = createReadinessPage(addresses);
  let heldBytes = 0;

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? '/';
    const [path = '/'] = url.split('?', 1);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead && path === '/healthz') return send(response, 200, 'ok\n');
    if (isRead && path === '/readyz') {
      const { status, text } = await readiness();
      return send(response, status, text);
    }
    const page = pageTarget(path);
    if (page !== undefined && isRead) return forwarder.forward(addressOf(page.shard), page.path, undefined, request, response);
    if (request.method !== 'POST') return forwarder.forward(addressOf(0), url, undefined, request, response);
    // INVARIANT: a body counts until its request is answered.
    let own = 0;
    try {
      const body = await readWhole(request, maxBodyBytes, (bytes) => {
        own += bytes;
        heldBytes += bytes;
        if (heldBytes > MAX_HELD_BYTES)
          throw new ServiceError('UNAVAILABLE', 'Too many requests are being received. Send the request again.');
      });
      await forwarder.forward(addressOf(shardOfRequest(request.headers, body)), url, body, request, response);
    } finally {
      heldBytes -= own;
    }
  }

  /** An unknown shard has no organizations. Shard 0 answers as for any organization that does not exist. */
  const addressOf = (shard: number): URL => addresses.get(shard) ?? (addresses.get(0) as URL);

  return {
    respond(request, response) {
      forward(request, response).catch((error: unknown) => {
        if (!(error instanceof ServiceError)) log.error({ err: error }, 'a request could not be forwarded');
        else if (error.code === 'UNAVAILABLE') log.warn({ err: error }, 'a shard does not respond');
        if (response.headersSent || response.destroyed) request.socket.destroy();
        else
          refuse(
            request,
            response,
            error instanceof ServiceError ? error : new ServiceError('INTERNAL', 'The request could not be forwarded.'),
          );
      });
    },
    close: forwarder.close,
  };
}

function refuse(request: IncomingMessage, response: ServerResponse, error: ServiceError): void {
  const dialect = request.url?.startsWith(dialects.turnkey.basePath) ? turnkey : spec;
  const { status, body } = dialect.showError(error);
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    ...(status === 503 && { 'Retry-After': 1 }),
    // The rest of a body is not read, so the connection cannot be used again.
    ...(!request.complete && { Connection: 'close' }),
  });
  response.end(text);
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
  });
  response.end(text);
}
