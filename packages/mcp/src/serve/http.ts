import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server';
import type { HttpConfig } from '../config.ts';

const MAX_BODY_BYTES = 1_048_576;
const MAX_CONNECTIONS = 64;
const MAX_REQUESTS = 16;
const MAX_SUBSCRIPTIONS = 8;

export interface HttpServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves the tools over streamable HTTP at `/mcp`. Every request is served alone: there are no sessions to guess, to keep or to fill memory.
 * SECURITY: D702: a request needs the bearer token and a Host header of this server, and an Origin, if any, that the operator named. So
 * web pages can neither call it nor reach it by another name (DNS rebinding).
 */
export async function serveHttp(
  config: HttpConfig,
  factory: McpServerFactory,
  onError: (error: unknown) => void,
): Promise<HttpServer> {
  const handler = createMcpHandler(factory, {
    maxRequestBodySize: MAX_BODY_BYTES,
    maxSubscriptions: MAX_SUBSCRIPTIONS,
    onerror: onError,
  });
  let running = 0;
  const server = createHttpServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, async (request, response) => {
    const refusal = refuse(config, request) ?? (running >= MAX_REQUESTS ? ([503, 'Too many requests.'] as const) : undefined);
    if (refusal !== undefined) return answer(response, ...refusal);
    running++;
    try {
      await exchange(handler.fetch, request, response);
    } catch (error) {
      onError(error);
      if (!response.headersSent) answer(response, 500, 'An error in this server.');
      else response.destroy();
    } finally {
      running--;
    }
  });
  server.maxConnections = MAX_CONNECTIONS;
  // Longer than clients keep an idle connection, so that none is closed while a request is on its way.
  server.keepAliveTimeout = 75_000;
  await listen(server, config);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}/mcp`,
    async close() {
      await handler.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function listen(server: Server, { host, port }: HttpConfig): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
}

const OWN_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** The status and the reason for a request that is not served. */
function refuse(config: HttpConfig, { headers, url = '' }: IncomingMessage): readonly [number, string] | undefined {
  const host = (headers.host ?? '').toLowerCase().replace(/:\d+$/, '');
  if (![...OWN_NAMES, ...config.allowedHosts].includes(host)) return [403, 'The Host header names another server.'];
  const { origin } = headers;
  if (origin !== undefined && !config.allowedOrigins.includes(origin)) return [403, 'This origin is not allowed.'];
  const [scheme = '', token = ''] = (headers.authorization ?? '').split(' ');
  if (scheme.toLowerCase() !== 'bearer' || !isSame(token, config.token)) return [401, 'The bearer token is missing or wrong.'];
  return url.split('?')[0] === '/mcp' ? undefined : [404, 'The tools are at /mcp.'];
}

/** Compares hashes, so that the time tells neither the length nor a part of the token. */
function isSame(one: string, other: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
}

function answer(response: ServerResponse, status: number, message: string): void {
  const headers = {
    'Content-Type': 'application/json',
    Connection: 'close',
    ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
  };
  response.writeHead(status, headers).end(JSON.stringify({ error: message }));
}

/** Passes a request of Node to a handler of web requests, and its response back. */
async function exchange(
  fetch: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const aborted = new AbortController();
  outgoing.once('close', () => aborted.abort());
  const { method = 'GET', url = '/', headers } = incoming;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const init = {
    method,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((each) => [name, each] as [string, string]),
    ),
    signal: aborted.signal,
    ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>, duplex: 'half' as const }),
  };
  // The handler reads nothing of the address, and the Host header was checked.
  const response = await fetch(new Request(new URL(url, 'http://localhost'), init));
  // A body that was too long is not read to its end, so the connection cannot be used again.
  const closes = hasBody && !incoming.complete;
  outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), ...(closes && { connection: 'close' }) });
  if (response.body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]), outgoing);
}
