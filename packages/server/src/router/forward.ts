import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { ServiceError } from '@countersign/contract';

/** Headers of one connection (RFC 9110 section 7.6.1), and those that the router writes. */
const OWN_HEADERS = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'content-length',
]);
/** Longer than a shard holds a request that waits for events. */
const SILENT_MS = 150_000;

/** Sends requests to shards over connections that stay open. */
export interface Forwarder {
  /** Sends a request and its response. Rejects with UNAVAILABLE if the shard does not respond; then nothing was written. */
  forward(
    address: URL,
    path: string,
    body: Uint8Array | undefined,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void>;
  close(): void;
}

export function createForwarder(): Forwarder {
  const agents = { 'http:': new HttpAgent({ keepAlive: true }), 'https:': new HttpsAgent({ keepAlive: true }) };

  /** The response of a shard, or undefined if it closed an idle connection before it read the request. */
  function ask(
    address: URL,
    path: string,
    body: Uint8Array | undefined,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<IncomingMessage | undefined> {
    return new Promise((resolve, reject) => {
      const isSecure = address.protocol === 'https:';
      const sent = (isSecure ? httpsRequest : httpRequest)({
        agent: isSecure ? agents['https:'] : agents['http:'],
        host: address.hostname.replace(/^\[(.*)\]$/, '$1'),
        port: address.port === '' ? (isSecure ? 443 : 80) : Number(address.port),
        method: request.method,
        path,
        headers: forwardedHeaders(request, body),
        timeout: SILENT_MS,
      });
      sent.once('response', resolve);
      sent.once('timeout', () => sent.destroy(new Error('the shard is silent')));
      sent.on('error', (error: NodeJS.ErrnoException) => {
        // SECURITY: D640: the end of the client ended this request. Sent again, it would wait for a response that never closes.
        if (isGone(request)) reject(clientGone());
        else if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(undefined);
        else
          reject(
            new ServiceError('UNAVAILABLE', 'The shard of this organization does not respond. Send the request again.', {
              cause: error,
            }),
          );
      });
      response.once('close', () => sent.destroy());
      sent.end(body);
    });
  }

  return {
    async forward(address, path, body, request, response) {
      // A stamped body is executed once, no matter how often it arrives. A request without a stamp is not sent twice.
      const answer =
        (await ask(address, path, body, request, response)) ??
        (isRepeatable(request) ? await ask(address, path, body, request, response) : undefined);
      if (isGone(request)) {
        answer?.destroy();
        throw clientGone();
      }
      if (answer === undefined) throw new ServiceError('UNAVAILABLE', 'The shard closed the connection. Send the request again.');
      const headers: OutgoingHttpHeaders = {};
      for (const [name, value] of Object.entries(answer.headers))
        if (name === 'content-length' || !OWN_HEADERS.has(name)) headers[name] = value;
      // The rest of a body that was not read is never read.
      if (!request.complete) headers.connection = 'close';
      response.writeHead(answer.statusCode as number, headers);
      await new Promise<void>((resolve) => {
        const end = () => {
          // A response that ends early must not look complete.
          if (!answer.complete) request.socket.destroy();
          answer.destroy();
          resolve();
        };
        answer.once('error', end);
        response.once('close', end);
        answer.pipe(response);
      });
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

const isGone = ({ socket }: IncomingMessage) => socket.destroyed;

const clientGone = () => new ServiceError('REQUEST_TIMEOUT', 'The client closed the connection before the response.');

const isRepeatable = ({ method, headers }: IncomingMessage) =>
  method === 'GET' || method === 'HEAD' || ['x-stamp', 'x-stamp-webauthn'].some((name) => headers[name] !== undefined);

/** SECURITY: a shard trusts the last address in the list alone, which is the peer of this connection. */
function forwardedHeaders({ headers, socket }: IncomingMessage, body: Uint8Array | undefined): OutgoingHttpHeaders {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  const kept: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) if (!OWN_HEADERS.has(name) && !named.has(name)) kept[name] = value;
  const before = headers['x-forwarded-for'];
  const hops = [...(before === undefined ? [] : [String(before)]), socket.remoteAddress ?? 'unknown'];
  return { ...kept, 'x-forwarded-for': hops.join(', '), ...(body !== undefined && { 'content-length': body.length }) };
}
