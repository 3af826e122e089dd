import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { RELAY_HEADER, ServiceError } from '@countersign/contract';
import type { Logger } from 'pino';
import { type Admission, type AdmittedRequest, SHORT_RESPONSE } from '../../admission/index.ts';
import type { AuditTrail } from '../../audit/audit-trail.ts';
import type { StampHeaders } from '../../auth/api-key/stamp.ts';
import type { CertificateKey } from '../../auth/client-certificate.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import { showIpAddress } from '../../network/ip-address.ts';
import type { Metrics } from '../../statistics/metrics.ts';
import { type AnswerPage, pageResponse } from '../pages/page.ts';
import type { ClientAddress, ForwardedRequest } from '../transport/client-address.ts';
import { expectedError } from '../transport/expected-error.ts';
import { type HttpResponse, lengthOf, readBody, writeResponse } from '../transport/messages.ts';
import { bodyBound } from './body-bound.ts';
import { type ClientHint, withHint } from './client-hint.ts';
import type { Cors } from './cors.ts';
import type { Operate } from './operations.ts';
import { claimIn } from './read-proof.ts';
import { createRequestLog, type RequestIds, requestIds } from './request-log.ts';
import type { Route } from './routes.ts';
import type { AnswerRelay } from './sign-in-relay.ts';

export interface ListenerServices {
  readonly routes: ReadonlyMap<string, Route>;
  readonly dialects: readonly Dialect[];
  readonly operate: Operate;
  /** Sign-in requests of people without a credential, by path. */
  readonly relays: ReadonlyMap<string, AnswerRelay>;
  readonly clientAddress: (request: ForwardedRequest) => ClientAddress;
  /** The key of a client certificate. Absent if connections need no bound certificate. */
  certificateKey?(socket: Socket): CertificateKey;
  readonly admission: Pick<Admission, 'request'>;
  readonly cors: Cors;
  /** Paths that pages of other origins never read. */
  readonly ownOriginPaths: ReadonlySet<string>;
  readonly clientHint: ClientHint;
  readonly metrics: Pick<Metrics, 'request'>;
  /** Records each request outside of the service. */
  readonly audit?: Pick<AuditTrail, 'requireAvailable' | 'record'> | undefined;
  readonly log: Pick<Logger, 'info' | 'debug' | 'error'>;
  readonly maxBodyBytes: number;
  /** Pages that need no stamp: health, readiness, metrics, the OpenAPI document, the development mailbox. */
  readonly pages: ReadonlyMap<string, AnswerPage>;
  /** Finds pages whose paths are too many to list, such as those of the log. */
  pageUnder(path: string): AnswerPage | undefined;
  isDraining(): boolean;
}

/** The operation that a request names. */
interface Target {
  readonly path: string;
  readonly route: Route | undefined;
  readonly relay: AnswerRelay | undefined;
  /** Why the server does not offer this operation of the specification. */
  readonly notOffered: string | undefined;
}

const relayHeader = RELAY_HEADER.toLowerCase();

/** Answers HTTP requests: `respond` maps a request to a response, `listen` writes it. */
export class Listener {
  readonly #services: ListenerServices;
  /** Longest base path first. */
  readonly #dialects: readonly Dialect[];
  readonly #logRequest: ReturnType<typeof createRequestLog>;

  constructor(services: ListenerServices) {
    this.#services = services;
    this.#dialects = [...services.dialects].sort((a, b) => b.basePath.length - a.basePath.length);
    this.#logRequest = createRequestLog(services.log);
  }

  /** Never rejects. */
  readonly listen = (request: IncomingMessage, response: ServerResponse): Promise<void> =>
    this.answer(request, (answer, admitted) => writeResponse(request, response, answer, admitted));

  /** Passes the response to `write`. Never rejects. */
  readonly answer = async (
    request: IncomingMessage,
    write: (response: HttpResponse, admitted: AdmittedRequest) => void,
  ): Promise<void> => {
    const { admission, clientAddress, log } = this.#services;
    const admitted = admission.request(clientAddress(request), request.socket);
    try {
      write(await this.respond(request, admitted), admitted);
    } catch (error) {
      log.error({ err: error }, 'a response could not be written');
      request.socket.destroy();
    } finally {
      admitted.release();
    }
  };

  /** The response to a request. */
  async respond(request: IncomingMessage, admitted: AdmittedRequest): Promise<HttpResponse> {
    const { cors, ownOriginPaths, pages, pageUnder } = this.#services;
    const target = this.#targetOf(normalPath(request.url ?? '/'));
    if (request.method === 'OPTIONS') return cors.preflight(request, isKnown(target));
    const ids = requestIds(request.headers);
    const page = pages.get(target.path) ?? pageUnder(target.path);
    const { status, headers, body } = await (page === undefined
      ? this.#operate(request, admitted, target, ids)
      : pageResponse(request, page).catch((error: unknown) => this.#failure(request, error, target, admitted, 'GET, HEAD')));
    const shared = ownOriginPaths.has(target.path) ? {} : cors.headers(request);
    return { status, headers: { ...shared, ...ids.headers, ...headers }, body };
  }

  async #operate(request: IncomingMessage, admitted: AdmittedRequest, target: Target, ids: RequestIds): Promise<HttpResponse> {
    const { metrics, clientAddress, audit } = this.#services;
    const startedAt = performance.now();
    let response: HttpResponse;
    try {
      requireOperation(request, target);
      admitted.count();
      const bound = bodyBound(target.route, request.headers as StampHeaders, this.#services.maxBodyBytes);
      // SECURITY: D432: who holds a long body is known before it arrives.
      if (target.relay === undefined && isLong(request)) admitted.claim(claimIn(request.headers as StampHeaders));
      const bytes = await readBody(request, bound, admitted);
      response = await this.#execute(request, bytes, admitted, target)
        .then((value) => this.#success(value, admitted, target))
        .catch((error: unknown) => this.#failure(request, error, target, admitted));
    } catch (error) {
      response = await this.#rejectUnread(request, admitted, this.#failure(request, error, target, admitted));
    }
    const operation = target.route?.definition.path ?? (target.relay === undefined ? 'unknown' : 'sign_in');
    const client = clientAddress(request);
    const address = client && showIpAddress(client);
    const { facts } = admitted;
    const { requestId, traceId } = ids;
    const { status } = response;
    const durationMs = performance.now() - startedAt;
    // SECURITY: D608: with required records, a response without a record becomes an error.
    const recorded = audit?.record({ requestId, traceId, operation, status, durationMs, address, ...facts });
    if (recorded !== undefined) {
      const sent = response;
      response = await recorded.then(
        () => sent,
        (error: unknown) => this.#failure(request, error, target, admitted),
      );
    }
    const milliseconds = performance.now() - startedAt;
    metrics.request(operation, response.status, milliseconds / 1000);
    this.#logRequest({ ids, operation, status: response.status, milliseconds, address, facts });
    return response;
  }

  async #execute(request: IncomingMessage, bytes: Uint8Array, admitted: AdmittedRequest, target: Target): Promise<unknown> {
    const { route, relay, notOffered } = target;
    this.#services.audit?.requireAvailable();
    const client = this.#services.clientAddress(request);
    if (relay !== undefined) return relay({ organization: request.headers[relayHeader], bytes, clientAddress: client, admitted });
    if (route === undefined) throw new ServiceError('NOT_OFFERED', `This operation is not offered by this server: ${notOffered}`);
    const certificateKey = this.#services.certificateKey?.(request.socket);
    return this.#services.operate(route, request.headers as StampHeaders, bytes, () => client, admitted, certificateKey);
  }

  #success(value: unknown, admitted: AdmittedRequest, { route }: Target): HttpResponse {
    const response = this.#json(200, value);
    // INVARIANT: only a query is rejected this late. A submit was executed.
    if (route?.kind === 'query') admitted.reserve(response.body.length);
    return response;
  }

  /** The rest of the body is not read, so the connection cannot be used again. */
  async #rejectUnread(request: IncomingMessage, admitted: AdmittedRequest, response: HttpResponse): Promise<HttpResponse> {
    const delay = admitted.rejectedUnread();
    if (delay !== undefined) {
      // SECURITY: D251: otherwise Node reads the rest of the body during the delay.
      request.pause();
      await delay;
    }
    return { ...response, headers: { ...response.headers, Connection: 'close' } };
  }

  #json(status: number, value: unknown, headers: HttpResponse['headers'] = {}): HttpResponse {
    const text = JSON.stringify(value);
    const body = text.length > SHORT_RESPONSE ? Buffer.from(text) : text;
    return {
      status,
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': lengthOf(body),
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
        ...headers,
        ...(this.#services.isDraining() && { Connection: 'close' }),
      },
      body,
    };
  }

  #failure(
    request: IncomingMessage,
    error: unknown,
    { path, route }: Target,
    { facts }: AdmittedRequest,
    allow = 'POST, OPTIONS',
  ): HttpResponse {
    const { log, clientHint } = this.#services;
    const known = expectedError(error, log);
    const { status, body } = (route?.dialect ?? this.#dialectOf(path)).showError(known);
    const { activityId, denial } = known;
    Object.assign(facts, { error: known.code, activityId, ...(denial && { decision: 'DENY', policyIds: denial.deniedBy }) });
    log.debug({ path: route && path, code: known.code, reason: known.reason }, 'request refused');
    const hint = clientHint(request.headers['x-client-version'], path);
    return this.#json(status, withHint(body, hint), {
      ...retryAfter(status, known.retryAtMs),
      ...(known.code === 'METHOD_NOT_ALLOWED' && { Allow: allow }),
    });
  }

  #targetOf(path: string): Target {
    const { routes, relays } = this.#services;
    const route = routes.get(path);
    const { basePath, notOffered } = this.#dialectOf(path);
    return {
      path,
      route,
      relay: relays.get(path),
      notOffered: route === undefined ? notOffered.get(path.slice(basePath.length)) : undefined,
    };
  }

  #dialectOf(path: string): Dialect {
    return this.#dialects.find((dialect) => path.startsWith(dialect.basePath)) as Dialect;
  }
}

const isKnown = ({ route, relay, notOffered }: Target) => route !== undefined || relay !== undefined || notOffered !== undefined;

function requireOperation({ method }: IncomingMessage, target: Target): void {
  if (!isKnown(target))
    throw new ServiceError('PATH_NOT_FOUND', 'No operation at this path. See /openapi.json or the reference.');
  if (method !== 'POST') throw new ServiceError('METHOD_NOT_ALLOWED', 'Every operation is a POST.');
}

/** Bodies up to this length are never the largest that a client holds. In bytes. */
const SHORT_BODY = 16_384;

function isLong({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) > SHORT_BODY;
}

function retryAfter(status: number, retryAtMs: number | undefined): { readonly 'Retry-After'?: number } {
  if (status === 503) return { 'Retry-After': 1 };
  if (retryAtMs === undefined) return {};
  return { 'Retry-After': Math.max(1, Math.ceil((retryAtMs - Date.now()) / 1000)) };
}

/** The path without its query. Repeated slashes count as one, because some clients join a base URL that ends in a slash. */
function normalPath(url: string): string {
  // RFC 9112 section 3.2.2: proxies send the absolute form, and a server must accept it.
  const relative = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '');
  const end = relative.indexOf('?');
  const path = end === -1 ? relative : relative.slice(0, end);
  return path.includes('//') ? path.replace(/\/{2,}/g, '/') : path;
}
