import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { EgressAllowlist } from '../network/egress-allowlist.ts';
import { EndpointError } from './node-errors.ts';

/** A response that was read whole. */
interface HttpResponse {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: Uint8Array;
}

/** Posts JSON, and reads at most `maxBytes` of the response, which is the limit of the exchange by default. */
export interface HttpExchange {
  post(url: URL, headers: Readonly<Record<string, string>>, body: string, maxBytes?: number): Promise<HttpResponse>;
  close(): void;
}

interface ExchangeLimits {
  /** For the request and its whole response. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

const MAX_SOCKETS = 32;
/** Maximum number of interim (1xx) responses before the final one. */
const MAX_INFORMATION = 8;

/**
 * SECURITY: D760: every connection goes to an address that was checked during its lookup. Redirects are not followed, compressed responses
 * are rejected, and a response that is too long or too slow ends its connection.
 */
export function createExchange(egress: EgressAllowlist, { timeoutMs, maxBytes: mostBytes }: ExchangeLimits): HttpExchange {
  const options = { keepAlive: true, timeout: 30_000, maxSockets: MAX_SOCKETS };
  const agents = { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) };

  return {
    post(url, headers, body, maxBytes = mostBytes) {
      // A literal IP address is never looked up, so check it here.
      const problem = egress.problemOf(url);
      if (problem !== undefined) return Promise.reject(new EndpointError('UNREACHABLE', `its URL ${problem}`));
      return new Promise((resolve, reject) => {
        const isSecure = url.protocol === 'https:';
        const request = (isSecure ? requestHttps : requestHttp)(url, {
          method: 'POST',
          agent: agents[isSecure ? 'https:' : 'http:'],
          lookup: egress.lookupFor(url),
          headers: {
            ...headers,
            accept: 'application/json',
            'accept-encoding': 'identity',
            'content-type': 'application/json',
            'content-length': String(Buffer.byteLength(body)),
          },
        });
        let isDone = false;
        const fail = (error: EndpointError) => {
          if (isDone) return;
          isDone = true;
          clearTimeout(timer);
          reject(error);
          request.destroy();
        };
        const timer = setTimeout(() => fail(new EndpointError('TIMEOUT', `it did not respond in ${timeoutMs} ms`)), timeoutMs);
        let interim = 0;
        request.on('information', () => {
          interim += 1;
          if (interim > MAX_INFORMATION) fail(new EndpointError('INVALID_RESPONSE', 'it sent too many interim responses'));
        });
        request.on('error', (error: NodeJS.ErrnoException) =>
          fail(new EndpointError('UNREACHABLE', `it cannot be reached: ${error.code ?? error.message}`)),
        );
        // When a server switches protocols (101), Node emits neither a response nor an error.
        request.on('close', () => fail(new EndpointError('UNREACHABLE', 'it closed the connection')));
        request.on('response', (response) =>
          readWhole(response, maxBytes, fail, (read) => {
            isDone = true;
            clearTimeout(timer);
            resolve(read);
          }),
        );
        request.end(body);
      });
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function readWhole(
  response: IncomingMessage,
  maxBytes: number,
  fail: (error: EndpointError) => void,
  done: (read: HttpResponse) => void,
): void {
  const { 'content-encoding': encoding = 'identity', 'retry-after': retryAfter } = response.headers;
  if (encoding !== 'identity') {
    fail(new EndpointError('INVALID_RESPONSE', 'it compressed its response'));
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) fail(new EndpointError('TOO_LARGE', `its response is longer than ${maxBytes} bytes`));
    else chunks.push(chunk);
  });
  response.on('error', () => fail(new EndpointError('UNREACHABLE', 'it ended its response early')));
  response.on('end', () => {
    if (response.complete) done({ status: response.statusCode ?? 0, retryAfter, body: Buffer.concat(chunks) });
  });
}
