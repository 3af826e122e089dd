import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { dialects, ServiceError } from '@countersign/contract';
import type { Logger } from 'pino';
import { createByteBudget, SlowBodies } from '../admission/bodies.ts';
import { ReadThrottle } from '../admission/cooperative.ts';
import { spec } from '../dialects/spec.ts';
import { turnkey } from '../dialects/turnkey.ts';
import { normalPath } from '../wire/normal-path.ts';
import { createForwarder } from './forward.ts';
import { readWhole } from './read-whole.ts';
import { createReadinessPage } from './readiness-page.ts';
import type { ShardAddresses } from './shard-addresses.ts';
import { pageTarget, shardOfRequest } from './target.ts';

export interface RouterSettings {
  readonly addresses: ShardAddresses;
  /** Largest request body. */
  readonly maxBodyBytes: number;
  /** Largest sum of the bodies that are being read or forwarded. */
  readonly maxHeldBytes?: number;
}

/** SECURITY: D641: strangers send bodies too, and the router cannot tell them apart. The address with the most bytes loses its oldest body. */
const MAX_HELD_BYTES = 134_217_728;
const NO_METRICS = 'a router has no metrics: each shard has its own, at the address of the shard\n';
/** How often an absent shard is logged. */
const LINE_MS = 1_000;

/** Forwards each request to the shard of its organization. It decides nothing: shards authenticate and authorize. */
export function createRouter(
  { addresses, maxBodyBytes, maxHeldBytes = MAX_HELD_BYTES }: RouterSettings,
  log: Pick<Logger, 'warn' | 'error'>,
): { readonly respond: RequestListener; close(): void } {
  const forwarder = createForwarder();
  const readiness = createReadinessPage(addresses);
  const bounds = { unfinished: createByteBudget(maxHeldBytes), slow: new SlowBodies(), throttle: new ReadThrottle() };
  const logAbsent = createAbsentLog(log);

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? '/';
    const path = normalPath(url);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead && path === '/healthz') return send(response, 200, 'ok\n');
    if (isRead && path === '/readyz') {
      const { status, text } = await readiness();
      return send(response, status, text);
    }
    // SECURITY: D646: the metrics of shard 0 would look like those of the installation, and strangers could read them.
    if (isRead && path === '/metrics') return send(response, 404, NO_METRICS);
    const page = pageTarget(path);
    if (page !== undefined && isRead) return forwarder.forward(addressOf(page.shard), page.path, undefined, request, response);
    if (request.method !== 'POST') return forwarder.forward(addressOf(0), url, undefined, request, response);
    const held = readWhole(request, maxBodyBytes, bounds);
    try {
      const body = await held.bytes;
      await forwarder.forward(addressOf(shardOfRequest(request.headers, body)), url, body, request, response);
    } finally {
      held.release();
    }
  }

  /** An unknown shard has no organizations. Shard 0 answers as for any organization that does not exist. */
  const addressOf = (shard: number): URL => addresses.get(shard) ?? (addresses.get(0) as URL);

  return {
    respond(request, response) {
      forward(request, response).catch((error: unknown) => {
        if (!(error instanceof ServiceError)) log.error({ err: error }, 'a request could not be forwarded');
        else if (error.code === 'UNAVAILABLE') logAbsent(error);
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

/** SECURITY: D642: strangers cause these lines, so there is one in a second, with the number of requests since the last. */
function createAbsentLog(log: Pick<Logger, 'warn'>): (error: ServiceError) => void {
  let requests = 0;
  let writtenAtMs = Number.NEGATIVE_INFINITY;
  return (error) => {
    requests += 1;
    if (performance.now() - writtenAtMs < LINE_MS) return;
    log.warn({ err: error, requests }, 'a shard does not respond');
    writtenAtMs = performance.now();
    requests = 0;
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
