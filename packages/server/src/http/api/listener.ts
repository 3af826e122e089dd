import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { activities, RELAY_HEADER, ServiceError } from '@countersign/contract';
import type { Logger } from 'pino';
import { type Admission, type AdmittedRequest, SHORT_RESPONSE } from '../../admission/index.ts';
import type { AuditTrail } from '../../audit/audit-trail.ts';
import type { StampHeaders } from '../../auth/api-key/stamp.ts';
import type { CertificateKey } from '../../auth/client-certificate.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import { showIpAddress } from '../../network/ip-address.ts';
import type { Metrics } from '../../statistics/metrics.ts';
import type { RequestTrace, Telemetry } from '../../telemetry/telemetry.ts';
import { normalPath } from '../../wire/normal-path.ts';
import { readTraceParent } from '../../wire/trace-parent.ts';
import { type AnswerPage, pageResponse } from '../pages/page.ts';
import { requireNoBrowser } from '../rpc/rpc-browser.ts';
import type { AnswerRpc } from '../rpc/rpc-endpoint.ts';
import { rpcFailure } from '../rpc/rpc-error.ts';
import { isRpcPath } from '../rpc/rpc-path.ts';
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
import type { AnswerRelay, SignInRelay } from './sign-in-relay.ts';

export interface ListenerServices {
  readonly routes: ReadonlyMap<string, Route>;
  readonly dialects: readonly Dialect[];
  readonly operate: Operate;
  /** Sign-in requests of people without a credential. */
  readonly signIn: SignInRelay;
  /** Signs for tools that speak JSON-RPC. */
  readonly rpc?: AnswerRpc;
  readonly clientAddress: (request: ForwardedRequest) => ClientAddress;
  /** The key of a client certificate. Absent if connections need no bound certificate. */
  certificateKey?(socket: Socket): CertificateKey;
  /** The key of a client certificate that this process verified itself. Absent if it verifies none. */
  verifiedCertificate?(socket: Socket): string;
  readonly admission: Pick<Admission, 'request'>;
  readonly cors: Cors;
  /** Paths that pages of other origins never read. */
  readonly ownOriginPaths: ReadonlySet<string>;
  readonly clientHint: ClientHint;
  readonly metrics: Pick<Metrics, 'request'>;
  /** Records each request outside of the service. */
  readonly audit?: Pick<AuditTrail, 'requireAvailable' | 'record'> | undefined;
  /** Records traces of requests. */
  readonly telemetry?: Pick<Telemetry, 'begin'> | undefined;
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
  readonly rpc: AnswerRpc | undefined;
  /** Set once the organization of a relayed request allows the origin of the page that sent it. */
  isOriginAllowed: boolean;
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
    // SECURITY: D784: no page may use it, so no preflight succeeds.
    const isShared = target.rpc === undefined && !ownOriginPaths.has(target.path);
    if (request.method === 'OPTIONS' && target.rpc === undefined)
      return cors.preflight(request, isKnown(target), target.relay !== undefined);
    const page = pages.get(target.path) ?? pageUnder(target.path);
    const trace = page === undefined ? this.#beginTrace(request, admitted, target) : undefined;
    const ids = requestIds(request.headers, trace);
    const { status, headers, body } = await (page === undefined
      ? this.#operate(request, admitted, target, ids, trace)
      : pageResponse(request, page).catch((error: unknown) => this.#failure(request, error, target, admitted, 'GET, HEAD')));
    const shared = isShared ? cors.headers(request, target.isOriginAllowed) : {};
    return { status, headers: { ...shared, ...ids.headers, ...headers }, body };
  }

  #beginTrace(request: IncomingMessage, admitted: AdmittedRequest, target: Target): RequestTrace | undefined {
    const trace = this.#services.telemetry?.begin(operationOf(target), readTraceParent(request.headers.traceparent));
    admitted.timer = trace?.timer;
    return trace;
  }

  async #operate(
    request: IncomingMessage,
    admitted: AdmittedRequest,
    target: Target,
    ids: RequestIds,
    trace: RequestTrace | undefined,
  ): Promise<HttpResponse> {
    const { metrics, clientAddress, audit } = this.#services;
    const startedAt = performance.now();
    let response: HttpResponse;
    try {
      requireOperation(request, target);
      admitted.count();
      if (target.rpc !== undefined) requireNoBrowser(request.headers);
      const bound = bodyBound(target, request.headers, this.#services.maxBodyBytes);
      // SECURITY: D432: who holds a long body is known before it arrives.
      if (target.route !== undefined && isLong(request)) admitted.claim(claimIn(request.headers as StampHeaders));
      const read = () => readBody(request, bound, admitted);
      const bytes = await (admitted.timer?.run('read', read) ?? read());
      response = await this.#execute(request, bytes, admitted, target)
        .then((value) => this.#success(value, admitted, target))
        .catch((error: unknown) => this.#failure(request, error, target, admitted));
    } catch (error) {
      response = await this.#rejectUnread(request, admitted, this.#failure(request, error, target, admitted));
    }
    const operation = operationOf(target);
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
      const taken = admitted.timer?.run('audit', () => recorded) ?? recorded;
      response = await taken.then(
        () => sent,
        (error: unknown) => this.#failure(request, error, target, admitted),
      );
    }
    const milliseconds = performance.now() - startedAt;
    metrics.request(operation, response.status, milliseconds / 1000);
    this.#logRequest({ ids, operation, status: response.status, milliseconds, address, facts });
    trace?.end({ requestId, operation, status: response.status, address, ...facts });
    return response;
  }

  async #execute(request: IncomingMessage, bytes: Uint8Array, admitted: AdmittedRequest, target: Target): Promise<unknown> {
    const { route, relay, rpc, path, notOffered } = target;
    const { signIn } = this.#services;
    this.#services.audit?.requireAvailable();
    const client = this.#services.clientAddress(request);
    const { headers } = request;
    const allowOrigin = () => {
      target.isOriginAllowed = true;
    };
    const { origin, 'user-agent': userAgent } = headers;
    const unstamped = { origin, bytes, clientAddress: client, userAgent, admitted, allowOrigin };
    if (relay !== undefined)
      return relay({ ...unstamped, organization: headers[relayHeader], captchaToken: headers['x-captcha-token'] });
    const attested = headers['x-stamp-attested'];
    if (attested !== undefined && route?.definition === activities.stampLogin && route.dialect.showAttestedLogin !== undefined)
      return route.dialect.showAttestedLogin(await signIn.attestedLogin({ ...unstamped, header: attested }));
    const certificateKey = this.#services.certificateKey?.(request.socket);
    if (rpc !== undefined) {
      const certificate = this.#services.verifiedCertificate?.(request.socket);
      return rpc({ path, headers: request.headers, bytes, clientAddress: client, admitted, certificateKey, certificate });
    }
    if (route === undefined) throw new ServiceError('NOT_OFFERED', `This operation is not offered by this server: ${notOffered}`);
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
    { path, route, rpc }: Target,
    { facts }: AdmittedRequest,
    allow = 'POST, OPTIONS',
  ): HttpResponse {
    const { log, clientHint } = this.#services;
    const known = expectedError(error, log);
    const shown = (route?.dialect ?? this.#dialectOf(path)).showError(known);
    const { status } = shown;
    const body = rpc === undefined ? shown.body : rpcFailure(known);
    const { activityId, denial } = known;
    Object.assign(facts, { error: known.code, activityId, ...(denial && { decision: 'DENY', policyIds: denial.deniedBy }) });
    log.debug({ path: route && path, code: known.code, reason: known.reason }, 'request refused');
    const hint = clientHint(request.headers['x-client-version'], path);
    return this.#json(status, rpc === undefined ? withHint(body, hint) : body, {
      ...(rpc !== undefined && status === 401 && { 'WWW-Authenticate': 'Bearer' }),
      ...retryAfter(status, known.retryAtMs),
      ...(known.code === 'METHOD_NOT_ALLOWED' && { Allow: allow }),
    });
  }

  #targetOf(path: string): Target {
    const { routes, signIn, rpc } = this.#services;
    const route = routes.get(path);
    const { basePath, notOffered } = this.#dialectOf(path);
    return {
      path,
      route,
      relay: signIn.answers.get(path),
      isOriginAllowed: false,
      rpc: isRpcPath(path) ? rpc : undefined,
      notOffered: route === undefined ? notOffered.get(path.slice(basePath.length)) : undefined,
    };
  }

  #dialectOf(path: string): Dialect {
    return this.#dialects.find((dialect) => path.startsWith(dialect.basePath)) as Dialect;
  }
}

/** The name of an operation in logs, metrics and traces. SECURITY: of the contract, never of a request. */
const operationOf = ({ route, relay, rpc }: Target) =>
  route?.definition.path ?? (relay !== undefined ? 'sign_in' : rpc !== undefined ? 'json_rpc' : 'unknown');

const isKnown = ({ route, relay, rpc, notOffered }: Target) =>
  route !== undefined || relay !== undefined || rpc !== undefined || notOffered !== undefined;

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
